package org.mqproof.pulsar;

import java.time.Duration;

/** Checks what callers pass. */
final class Arguments {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private Arguments() {}

  /** The nanoseconds of a time-out of {@code receive}, at most {@link Long#MAX_VALUE}. */
  static long timeoutNanos(int max, Duration timeout) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, was " + max);
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
    }
    return timeout.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : timeout.toNanos();
  }
}
