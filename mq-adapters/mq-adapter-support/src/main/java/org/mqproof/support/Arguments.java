package org.mqproof.support;

import java.time.Duration;

/** Checks what callers pass. Thread-safe: no state. */
public final class Arguments {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private Arguments() {}

  /**
   * What {@code receive} is given.
   *
   * @param max most messages, at least 1
   * @param timeout longest wait, zero or more
   * @return the nanoseconds of the time-out, at most {@link Long#MAX_VALUE}
   * @throws IllegalArgumentException if either is out of range
   */
  public static long timeoutNanos(int max, Duration timeout) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, was " + max);
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
    }
    return timeout.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : timeout.toNanos();
  }
}
