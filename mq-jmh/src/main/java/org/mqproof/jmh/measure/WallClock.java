package org.mqproof.jmh.measure;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The time of day that never jumps: the machine's clock as of one moment, and {@link
 * System#nanoTime} from there. So latencies between machines are measured on clocks that run evenly
 * even if one of them is set meanwhile. Immutable.
 *
 * @param offsetNanos to be added to {@link System#nanoTime}
 */
public record WallClock(long offsetNanos) {

  private static final int SAMPLES = 20;

  /** Looks at the machine's clock: several times, of which the one with the least doubt counts. */
  public static WallClock now() {
    long best = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long before = System.nanoTime();
      Instant now = Instant.now();
      long after = System.nanoTime();
      if (after - before < best) {
        best = after - before;
        offset = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - before - best / 2;
      }
    }
    return new WallClock(offset);
  }

  /** Nanoseconds since 1970. */
  public long epochNanos() {
    return System.nanoTime() + offsetNanos;
  }

  /** Milliseconds since 1970. */
  public long epochMillis() {
    return TimeUnit.NANOSECONDS.toMillis(epochNanos());
  }

  /** What {@link System#nanoTime} is at a time of day. */
  public long nanoTimeAt(long epochMillis) {
    return TimeUnit.MILLISECONDS.toNanos(epochMillis) - offsetNanos;
  }
}
