package org.mqproof.support;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.mqproof.MqException;

/**
 * The threads in which a driver is called that blocks, and does not hear an interrupt while it
 * reads from a socket: so nobody's own thread ever waits in it.
 *
 * <p>Thread-safe.
 */
public final class BlockingCalls implements Executor, AutoCloseable {

  private final String endpoint;
  private final Function<Throwable, String> reason;
  private final Duration bound;
  private final ExecutorService threads;

  /**
   * Starts no thread yet.
   *
   * @param threadName of each of them
   * @param endpoint names the system in errors; holds no secret
   * @param reason what a failure says, for errors
   * @param bound the longest that any call takes
   */
  public BlockingCalls(
      String threadName, String endpoint, Function<Throwable, String> reason, Duration bound) {
    this.endpoint = endpoint;
    this.reason = reason;
    this.bound = bound;
    threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
  }

  String endpoint() {
    return endpoint;
  }

  Duration bound() {
    return bound;
  }

  String reason(Throwable failure) {
    return reason.apply(failure);
  }

  /**
   * Runs something later.
   *
   * @param <T> what it results in
   * @param task may block
   * @return its result
   * @throws IllegalStateException if this is closed
   */
  public <T> Future<T> submit(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(task);
    execute(future);
    return future;
  }

  /**
   * Runs something later.
   *
   * @param task may block
   * @throws IllegalStateException if this is closed
   */
  @Override
  public void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException("this connection to " + endpoint + " is closed", e);
    }
  }

  /**
   * Does something and waits for it, at most the bound of every call.
   *
   * @param <T> what it results in
   * @param what for the error, for example {@code "create queue q"}
   * @param call may block
   * @return its result
   * @throws MqException if it failed, or did not end in time
   */
  public <T> T call(String what, Callable<T> call) {
    Future<T> answer = submit(call);
    try {
      return await(what, answer, bound);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException("%s: interrupted in the attempt to %s".formatted(endpoint, what), e);
    }
  }

  /**
   * Waits for an answer.
   *
   * @param <T> what it results in
   * @param what for the error, for example {@code "create queue q"}
   * @param answer of {@link #submit}
   * @param bound the longest wait
   * @return the result
   * @throws MqException if it is a failure, or does not come in time
   * @throws InterruptedException if the thread is interrupted; the call goes on
   */
  public <T> T await(String what, Future<T> answer, Duration bound) throws InterruptedException {
    try {
      return answer.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      // Not as it is: it was thrown in another thread.
      throw failed(what, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw new MqException(
          "%s: cannot %s: no answer within %d ms".formatted(endpoint, what, bound.toMillis()), e);
    }
  }

  /**
   * An error that names the endpoint and says what was tried, and why it failed.
   *
   * @param what for example {@code "create queue q"}
   * @param failure what was thrown
   * @return the error, to be thrown
   */
  public MqException failed(String what, Throwable failure) {
    return new MqException(
        "%s: cannot %s: %s".formatted(endpoint, what, reason.apply(failure)), failure);
  }

  /** Takes no more calls. Threads that still wait for an answer end with their own bound. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
