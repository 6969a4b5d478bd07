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
 * Threads for calls of a driver that blocks and ignores interrupts while it reads from a socket, so
 * that no thread of a user ever waits in it.
 *
 * <p>Thread-safe.
 */
public final class BlockingCalls implements Executor, AutoCloseable {

  private final String endpoint;
  private final Function<Throwable, String> reason;
  private final Duration bound;
  private final ExecutorService threads;

  /**
   * Creates it without threads.
   *
   * @param threadName name of each thread
   * @param endpoint names the system in error messages; holds no secret
   * @param reason turns a failure into message text
   * @param bound longest wait for any call
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
   * Runs a task that has a result.
   *
   * @param <T> type of the result
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
   * Runs a task.
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
   * Makes a call and waits for its result, up to the bound.
   *
   * @param <T> type of the result
   * @param what for the error message, for example {@code "create queue q"}
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
   * @param <T> type of the result
   * @param what for the error message, for example {@code "create queue q"}
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
   * Creates an exception that names the endpoint, the call and the reason of the failure.
   *
   * @param what for example {@code "create queue q"}
   * @param failure its cause
   * @return the exception, to be thrown
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
