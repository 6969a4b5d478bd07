package org.mqproof.crash;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/** How many messages each tenth of a second saw since this was made. Thread-safe. */
final class Rates {

  private static final long SLICE_NANOS = Duration.ofMillis(100).toNanos();
  private static final int SLICES_PER_SECOND = 10;

  /** More than twice as long as any cell may last, and as long as a soak more. */
  private static final int SLICES =
      SLICES_PER_SECOND * (1_500 + 2 * Math.toIntExact(Soak.lasts().toSeconds()));

  private final LongSupplier nanoTime;
  private final long startedAt;
  private final AtomicLongArray slices = new AtomicLongArray(SLICES);

  Rates() {
    this(System::nanoTime);
  }

  Rates(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    startedAt = nanoTime.getAsLong();
  }

  void count(int messages) {
    slices.addAndGet(slice(nanoTime.getAsLong()), messages);
  }

  /** Messages in the last whole second before a time; of less than a second if it began later. */
  long inTheSecondBefore(long nanoTime) {
    int end = slice(nanoTime);
    return sum(Math.max(0, end - SLICES_PER_SECOND), end);
  }

  /**
   * How long after a time the first second began that saw so many messages.
   *
   * @return zero if the rate was there at once; empty if there was no such second until now
   */
  Optional<Duration> untilASecondWith(long messages, long afterNanoTime) {
    int now = slice(nanoTime.getAsLong());
    int first = slice(afterNanoTime) + 1; // the one that is going on is partly from before
    for (int slice = first; slice + SLICES_PER_SECOND <= now; slice++) {
      if (sum(slice, slice + SLICES_PER_SECOND) >= messages) {
        return Optional.of(Duration.ofNanos((slice - first) * SLICE_NANOS));
      }
    }
    return Optional.empty();
  }

  private int slice(long nanoTime) {
    return Math.toIntExact((nanoTime - startedAt) / SLICE_NANOS);
  }

  private long sum(int from, int to) {
    long sum = 0;
    for (int slice = from; slice < to; slice++) {
      sum += slices.get(slice);
    }
    return sum;
  }
}
