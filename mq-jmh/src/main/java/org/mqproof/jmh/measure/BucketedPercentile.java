package org.mqproof.jmh.measure;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What the study of 2017 would have printed for the same samples. It counted them in buckets that
 * end at 0, 50, 100 ... ms, and read a percentile off by going through its bucket in a straight
 * line: nothing below 50 ms can be told apart, and a p95 of 1 ms comes out as 47.5. Stateless,
 * thread-safe.
 */
final class BucketedPercentile {

  private static final long BUCKET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private BucketedPercentile() {}

  /**
   * One percentile.
   *
   * @param percentile above 0, at most 100
   * @return nanoseconds; samples of 0 and below are in a bucket of their own, which has no width
   */
  static long percentile(Distribution times, double percentile) {
    double rank = times.count() * percentile / 100;
    Histogram above = times.histogram();
    double below = times.negatives() + above.getCountAtValue(0);
    if (rank <= below) {
      return 0;
    }
    // The bucket of the sample itself; the ones before it are known to hold less than the rank.
    long bucket = (times.atPercentile(percentile) - 1) / BUCKET_NANOS;
    below += between(above, 1, bucket * BUCKET_NANOS);
    double inside = between(above, bucket * BUCKET_NANOS + 1, (bucket + 1) * BUCKET_NANOS);
    double share = Math.min(1, Math.max(0, (rank - below) / inside));
    return (long) ((bucket + share) * BUCKET_NANOS);
  }

  private static double between(Histogram histogram, long first, long last) {
    return last < first ? 0 : (double) histogram.getCountBetweenValues(first, last);
  }
}
