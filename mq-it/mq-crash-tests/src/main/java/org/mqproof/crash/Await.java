package org.mqproof.crash;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Waits for conditions, always with a bound. Thread-safe: no state. */
final class Await {

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private Await() {}

  /** Waits until a condition holds; fails with {@code what} if it does not in time. */
  static void until(String what, Duration bound, BooleanSupplier condition) {
    if (!holdsWithin(bound, condition)) {
      fail("not within %s: %s", bound, what);
    }
  }

  /** Waits until a condition holds; returns false if it does not in time. */
  static boolean holdsWithin(Duration bound, BooleanSupplier condition) {
    long deadline = System.nanoTime() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /**
   * As {@link #holdsWithin}, on this machine's time: what this thread, which only sleeps, is woken
   * too late by does not count, for others did not get a processor either.
   */
  static boolean holdsWithinOwnTime(Duration bound, BooleanSupplier condition) {
    long deadline = System.nanoTime() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      long start = System.nanoTime();
      if (start - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
      long late = System.nanoTime() - start - POLL_NANOS;
      if (late > POLL_NANOS) {
        deadline += late;
      }
    }
    return true;
  }

  /**
   * Waits until a condition holds, as long as something grows.
   *
   * @param patience how long it may stay the same
   * @param grows for example how much is done; it must have an end
   * @return false if it did not grow for so long
   */
  static boolean holdsWhileProgress(
      Duration patience, LongSupplier grows, BooleanSupplier condition) {
    long most = grows.getAsLong();
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      long now = grows.getAsLong();
      if (now > most) {
        most = now;
        deadline = System.nanoTime() + patience.toNanos();
      } else if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  static Duration since(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  static String millis(Duration duration) {
    return duration.toMillis() + " ms";
  }
}
