package org.mqproof.jmh.report;

import java.util.List;

/**
 * A distribution of latencies, from all samples of all forks; signed, because clocks of two hosts
 * can differ and a sample is never dropped. Immutable.
 *
 * @param count samples, all of them, at least 1
 * @param negatives samples below zero: more than none means the clocks are off
 * @param minNanos smallest sample, nanoseconds
 * @param meanNanos arithmetic mean, nanoseconds
 * @param p50Nanos median, nanoseconds
 * @param p95Nanos 95th percentile, nanoseconds
 * @param p99Nanos 99th percentile, nanoseconds
 * @param p999Nanos 99.9th percentile, nanoseconds
 * @param maxNanos largest sample, nanoseconds
 * @param curve the whole distribution, percentiles rising; a hundred points or so draw well
 */
public record Latency(
    long count,
    long negatives,
    long minNanos,
    double meanNanos,
    long p50Nanos,
    long p95Nanos,
    long p99Nanos,
    long p999Nanos,
    long maxNanos,
    List<Point> curve) {

  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if a field is missing or out of range
   */
  public Latency {
    Check.atLeast(1, "count", count);
    Check.atLeast(0, "negatives", negatives);
    curve = Check.list("curve", curve);
  }

  /**
   * One point of the distribution.
   *
   * @param percentile between 0 and 100
   * @param nanos the latency that so many percent of the samples do not exceed, nanoseconds
   */
  public record Point(double percentile, long nanos) {

    /**
     * Checks the fields.
     *
     * @throws IllegalArgumentException if the percentile is out of range
     */
    public Point {
      if (!(percentile >= 0 && percentile <= 100)) {
        throw new IllegalArgumentException(
            "percentile must be between 0 and 100, was " + percentile);
      }
    }
  }
}
