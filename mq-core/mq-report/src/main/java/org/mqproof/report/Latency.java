package org.mqproof.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * @param p95BucketedNanos what the study of 2017 would print as the 95th percentile of the same
 *     samples, from buckets that end at 0, 50, 100 ... ms: whatever is below 50 ms comes out as
 *     some 47.5 ms; nanoseconds, null if not known
 * @param windows the tails second by second and minute by minute; null if not known
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
    List<Point> curve,
    @JsonProperty("p95Lens2017Nanos") @Nullable Long p95BucketedNanos,
    @Nullable List<Window> windows) {

  /**
   * One point of the distribution.
   *
   * @param percentile between 0 and 100
   * @param nanos the latency that so many percent of the samples do not exceed, nanoseconds
   */
  public record Point(double percentile, long nanos) {}

  /**
   * The tails of all windows of one length: a percentile of a whole run hides a bad minute, and one
   * of a minute hides a bad second.
   *
   * @param seconds measured seconds of one window; the last of a fork may be shorter
   * @param count windows of all forks, at least 1
   * @param p95MedianNanos the middle one of their 95th percentiles, nanoseconds
   * @param p95WorstNanos the largest of them, nanoseconds
   * @param p99MedianNanos the middle one of their 99th percentiles, nanoseconds
   * @param p99WorstNanos the largest of them, nanoseconds
   */
  public record Window(
      int seconds,
      int count,
      long p95MedianNanos,
      long p95WorstNanos,
      long p99MedianNanos,
      long p99WorstNanos) {}
}
