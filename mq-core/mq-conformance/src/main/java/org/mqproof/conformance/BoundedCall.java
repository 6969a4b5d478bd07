package org.mqproof.conformance;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A call in a daemon thread of its own, so that one which never returns fails a test and does not
 * stop the build. Thread-safe.
 */
final class BoundedCall<T extends @Nullable Object> {

  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final Thread thread;
  private final long startNanos = System.nanoTime();
  private volatile long endNanos;

  private BoundedCall(String name, Callable<T> call) {
    thread =
        new Thread(
            () -> {
              try {
                T value = call.call();
                endNanos = System.nanoTime();
                result.complete(value);
              } catch (Throwable e) { // errors too: they are the call's result
                endNanos = System.nanoTime();
                result.completeExceptionally(e);
              }
            },
            "mq-conformance " + name);
    thread.setDaemon(true);
  }

  static <T extends @Nullable Object> BoundedCall<T> start(String name, Callable<T> call) {
    BoundedCall<T> started = new BoundedCall<>(name, call);
    started.thread.start();
    return started;
  }

  /** Waits for the end of the call, at most so long since its start. */
  boolean endsWithin(Duration bound) throws InterruptedException {
    long left = bound.toNanos() - (System.nanoTime() - startNanos);
    try {
      result.handle((value, failure) -> true).get(Math.max(0, left), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("handle() never fails", e);
    }
  }

  /** Waits for the end of the call, at most so long from now on. */
  boolean endsWithinAnother(Duration bound) throws InterruptedException {
    return endsWithin(bound.plusNanos(System.nanoTime() - startNanos));
  }

  boolean hasRunFor(Duration time) {
    return System.nanoTime() - startNanos >= time.toNanos();
  }

  boolean hasEnded() {
    return result.isDone();
  }

  /** How long after this moment the call ended, or zero if before. It has ended. */
  Duration endedAfter(long nanos) {
    return Duration.ofNanos(Math.max(0, endNanos - nanos));
  }

  /** What the call threw, or null. It has ended. Throws what is no failure of the call. */
  @Nullable Throwable failure() {
    Throwable failure = thrown();
    Error ofTheTest = errorOfTheTest(failure);
    if (ofTheTest != null) {
      throw ofTheTest;
    }
    return failure;
  }

  /** What the call threw, whatever that is, or null. It has ended. */
  @Nullable Throwable thrown() {
    return result.handle((value, failure) -> failure).getNow(null);
  }

  /** A class that is missing, or no memory: says nothing about a queue. Null if it is neither. */
  static @Nullable Error errorOfTheTest(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof LinkageError || cause instanceof VirtualMachineError) {
        return (Error) cause;
      }
    }
    return null;
  }

  /** What the call returned. It has ended, and if with a failure, that is thrown. */
  T value() {
    Throwable failure = failure();
    if (failure instanceof Error error) {
      throw error;
    }
    return result.join();
  }

  void interrupt() {
    thread.interrupt();
  }

  Thread thread() {
    return thread;
  }

  /** Where the call stands, for an error's text. */
  String stack() {
    return Arrays.stream(thread.getStackTrace())
        .limit(25)
        .map(frame -> "\n      at " + frame)
        .collect(Collectors.joining());
  }
}
