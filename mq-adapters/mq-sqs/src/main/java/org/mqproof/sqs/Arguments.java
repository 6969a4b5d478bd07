package org.mqproof.sqs;

import java.time.Duration;

/** Checks what callers pass. */
final class Arguments {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private Arguments() {}

  /** The nanoseconds of a time-out of {@code receive}, at most half of {@link Long#MAX_VALUE}. */
  static long timeoutNanos(int max, Duration timeout) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, was " + max);
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
    }
    return timeout.compareTo(LONGEST) >= 0 ? LONGEST.toNanos() : timeout.toNanos();
  }
}
