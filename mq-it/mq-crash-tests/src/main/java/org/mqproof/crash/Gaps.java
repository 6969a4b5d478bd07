package org.mqproof.crash;

import java.time.Duration;

/** The longest time between two events of a kind. Thread-safe. */
final class Gaps {

  private long lastNanos = System.nanoTime();
  private long longestNanos;

  synchronized void mark() {
    long now = System.nanoTime();
    longestNanos = Math.max(longestNanos, now - lastNanos);
    lastNanos = now;
  }

  /** Forgets the gaps so far; the one that is going on counts from here. */
  synchronized void restart() {
    lastNanos = System.nanoTime();
    longestNanos = 0;
  }

  synchronized Duration longest() {
    return Duration.ofNanos(longestNanos);
  }

  synchronized Duration sinceLast() {
    return Duration.ofNanos(System.nanoTime() - lastNanos);
  }
}
