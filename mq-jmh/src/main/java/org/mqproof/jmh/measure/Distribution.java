package org.mqproof.jmh.measure;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Latency;

/**
 * Times in nanoseconds, signed, none dropped or clamped.
 *
 * <p>An HdrHistogram with three significant digits: a value is off by at most 0.1 %. It grows to
 * hold any {@code long}; up to 10 s it takes about 200 KB. Times below zero, which only clocks that
 * disagree can make, are kept in a second histogram by their size. Not thread-safe.
 */
public final class Distribution {

  private static final int DIGITS = 3;

  /** Where the curve is drawn; the density follows the tail, which is what one wants to see. */
  private static final int CURVE_POINTS_PER_HALVING = 8;

  private final Histogram positive = new Histogram(DIGITS);
  private @Nullable Histogram negative;

  void record(long nanos, long count) {
    if (nanos >= 0) {
      positive.recordValueWithCount(nanos, count);
    } else {
      // Long.MIN_VALUE has no counterpart; 292 years are near enough.
      below().recordValueWithCount(nanos == Long.MIN_VALUE ? Long.MAX_VALUE : -nanos, count);
    }
  }

  /** Adds all samples of another one. */
  public void add(Distribution other) {
    positive.add(other.positive);
    if (other.negative != null) {
      below().add(other.negative);
    }
  }

  void reset() {
    positive.reset();
    negative = null;
  }

  /** Number of samples. */
  public long count() {
    return positive.getTotalCount() + negatives();
  }

  long negatives() {
    return negative == null ? 0 : negative.getTotalCount();
  }

  /** The smallest sample, nanoseconds. */
  public long min() {
    return negative == null ? positive.getMinValue() : -negative.getMaxValue();
  }

  /** The largest sample, nanoseconds. */
  public long max() {
    return positive.getTotalCount() > 0 || negative == null
        ? positive.getMaxValue()
        : -negative.getMinValue();
  }

  double mean() {
    if (count() == 0) {
      return 0;
    }
    double sum = positive.getMean() * positive.getTotalCount();
    if (negative != null) {
      sum -= negative.getMean() * negative.getTotalCount();
    }
    return sum / count();
  }

  /**
   * The value that a share of the samples does not exceed.
   *
   * @param percentile above 0, at most 100
   */
  public long atPercentile(double percentile) {
    long negatives = negatives();
    if (negative == null || negatives == 0) {
      return positive.getValueAtPercentile(percentile);
    }
    double rank = Math.max(1, Math.ceil(count() * percentile / 100));
    if (rank > negatives) {
      return positive.getValueAtPercentile(100 * (rank - negatives) / positive.getTotalCount());
    }
    return -negative.getValueAtPercentile(100 * (negatives - rank + 1) / negatives);
  }

  /** The positive part, to be written to a log of histograms. */
  Histogram histogram() {
    return positive;
  }

  /**
   * For a row; null if there is no sample.
   *
   * @param windows the tails of the same samples, by length of the window in seconds
   */
  public @Nullable Latency summary(Map<Integer, List<Windows.Tail>> windows) {
    if (count() == 0) {
      return null;
    }
    return new Latency(
        count(),
        negatives(),
        min(),
        mean(),
        atPercentile(50),
        atPercentile(95),
        atPercentile(99),
        atPercentile(99.9),
        max(),
        curve(),
        BucketedPercentile.percentile(this, 95),
        windows(windows));
  }

  private static List<Latency.Window> windows(Map<Integer, List<Windows.Tail>> windows) {
    List<Latency.Window> all = new ArrayList<>();
    windows.forEach(
        (seconds, tails) -> {
          if (!tails.isEmpty()) {
            long[] p95 = tails.stream().mapToLong(Windows.Tail::p95Nanos).sorted().toArray();
            long[] p99 = tails.stream().mapToLong(Windows.Tail::p99Nanos).sorted().toArray();
            int middle = (p95.length - 1) / 2;
            int last = p95.length - 1;
            all.add(
                new Latency.Window(
                    seconds, p95.length, p95[middle], p95[last], p99[middle], p99[last]));
          }
        });
    return all;
  }

  private List<Latency.Point> curve() {
    List<Latency.Point> curve = new ArrayList<>();
    double rest = 100; // percent of the samples above the point
    while (rest * count() >= 100) { // until less than one sample is left
      double percentile = 100 - rest;
      if (percentile > 0) {
        curve.add(new Latency.Point(percentile, atPercentile(percentile)));
      } else {
        curve.add(new Latency.Point(0, min()));
      }
      rest *= Math.pow(0.5, 1.0 / CURVE_POINTS_PER_HALVING);
    }
    curve.add(new Latency.Point(100, max()));
    return curve;
  }

  /** As text, without loss. */
  public List<String> encode() {
    return negative == null ? List.of(text(positive)) : List.of(text(positive), text(negative));
  }

  /** Reads what {@link #encode} made. */
  public static Distribution decode(List<String> encoded) {
    Distribution distribution = new Distribution();
    distribution.positive.add(histogram(encoded.get(0)));
    if (encoded.size() > 1) {
      distribution.below().add(histogram(encoded.get(1)));
    }
    return distribution;
  }

  private Histogram below() {
    if (negative == null) {
      negative = new Histogram(DIGITS);
    }
    return negative;
  }

  private static String text(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  private static Histogram histogram(String text) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not a histogram: " + text, e);
    }
  }
}
