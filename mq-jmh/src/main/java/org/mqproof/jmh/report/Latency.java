package org.mqproof.jmh.report;

import java.util.List;

/**
 * A distribution of latencies, from all samples of all forks; signed, because clocks of two hosts
 * can differ and a sample is never dropped. Plain data, see {@link Results}.
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
   * One point of the distribution.
   *
   * @param percentile between 0 and 100
   * @param nanos the latency that so many percent of the samples do not exceed, nanoseconds
   */
  public record Point(double percentile, long nanos) {}
}
