package org.mqproof.support;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/**
 * Waits up to a deadline that an interrupt does not shorten, for code that closes. The thread's
 * interrupt flag is kept. Deadlines are in terms of {@link System#nanoTime()}. No state.
 */
public final class BoundedWaits {

  /** A wait that may be begun again after an interrupt. */
  @FunctionalInterface
  public interface Waiting {

    /**
     * Waits once.
     *
     * @param leftNanos longest wait, at least 0
     * @return whether what was waited for came in time
     * @throws InterruptedException if the thread is interrupted: then it is begun again
     */
    boolean await(long leftNanos) throws InterruptedException;
  }

  private BoundedWaits() {}

  /**
   * Waits until a thread has ended.
   *
   * @param thread any but the current one
   * @param deadlineNanos longest wait
   * @return whether it has
   */
  public static boolean awaitEnd(Thread thread, long deadlineNanos) {
    return await(
        deadlineNanos,
        left -> {
          TimeUnit.NANOSECONDS.timedJoin(thread, left);
          return !thread.isAlive();
        });
  }

  /**
   * Waits until a future has ended, in whatever way: its owner learns how from the future.
   *
   * @param future any
   * @param deadlineNanos longest wait
   * @return whether it has
   */
  public static boolean await(Future<?> future, long deadlineNanos) {
    return await(
        deadlineNanos,
        left -> {
          try {
            Object unused = future.get(left, TimeUnit.NANOSECONDS);
            return true;
          } catch (ExecutionException | CancellationException e) {
            return true;
          } catch (TimeoutException e) {
            return false;
          }
        });
  }

  /**
   * Waits until something guarded by a lock is so.
   *
   * @param changed signalled at each change; the caller holds its lock
   * @param reached called with the lock
   * @param deadlineNanos longest wait
   * @return whether it is so
   */
  public static boolean await(Condition changed, BooleanSupplier reached, long deadlineNanos) {
    return await(
        deadlineNanos,
        left -> {
          long rest = left;
          while (!reached.getAsBoolean() && rest > 0) {
            rest = changed.awaitNanos(rest);
          }
          return reached.getAsBoolean();
        });
  }

  /**
   * Waits for something else.
   *
   * @param deadlineNanos longest wait
   * @param waiting begun again after each interrupt, with what is left
   * @return what it returned
   */
  public static boolean await(long deadlineNanos, Waiting waiting) {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return waiting.await(Math.max(0, deadlineNanos - System.nanoTime()));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
