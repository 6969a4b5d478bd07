package org.mqproof.jmh.report;

import java.util.List;
import java.util.stream.DoubleStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;

/**
 * A rate as JMH measured it. Plain data, see {@link Results}.
 *
 * @param messagesPerSecond mean over all measured iterations of all forks, messages per second
 * @param error half width of JMH's own interval, messages per second, which takes iterations for
 *     independent and may reach below zero: for those who compare with JMH's output, and not shown;
 *     null where JMH gives none (fewer than three iterations)
 * @param confidence of JMH's own interval, between 0 and 1
 * @param mebibytesPerSecond bodies alone, 1,048,576 bytes per second
 * @param iterations the measured iterations, in order
 */
public record Throughput(
    double messagesPerSecond,
    @Nullable Double error,
    double confidence,
    double mebibytesPerSecond,
    List<Iteration> iterations) {

  /** Below so many forks their spread says nothing that one could rank or compare by. */
  public static final int LEAST_FORKS = 5;

  private static final double INTERVAL = 0.95;

  /**
   * Between two rates, messages per second.
   *
   * @param low the lower end, never below 0
   * @param high the upper end
   */
  record Interval(double low, double high) {

    boolean overlaps(Interval other) {
      return low <= other.high && other.low <= high;
    }
  }

  /**
   * The median of the measured iterations.
   *
   * @return messages per second; the mean if the iterations are not known
   */
  public double median() {
    return iterations.isEmpty() ? messagesPerSecond : StatUtils.percentile(rates(), 50);
  }

  /**
   * The slowest measured iteration.
   *
   * @return messages per second
   */
  public double least() {
    return iterations.isEmpty() ? messagesPerSecond : StatUtils.min(rates());
  }

  /**
   * The fastest measured iteration.
   *
   * @return messages per second
   */
  public double most() {
    return iterations.isEmpty() ? messagesPerSecond : StatUtils.max(rates());
  }

  /**
   * Where the rate of forks like these is, with 95 % confidence; null below five forks. Iterations
   * of one fork share its compiled code and its place in memory, so only forks are independent; and
   * by logarithms, as a rate is never below zero.
   */
  @Nullable Interval interval() {
    int forks = forks();
    double[] logarithms =
        iterations.stream()
            .mapToInt(Iteration::fork)
            .distinct()
            .mapToDouble(this::mean)
            .map(Math::log)
            .toArray();
    if (forks < LEAST_FORKS || DoubleStream.of(logarithms).anyMatch(Double::isInfinite)) {
      return null;
    }
    double student =
        new TDistribution(null, forks - 1.0).inverseCumulativeProbability((1 + INTERVAL) / 2);
    double reach = student * Math.sqrt(StatUtils.variance(logarithms) / forks);
    double middle = StatUtils.mean(logarithms);
    return new Interval(Math.exp(middle - reach), Math.exp(middle + reach));
  }

  private double mean(int fork) {
    return iterations.stream()
        .filter(iteration -> iteration.fork() == fork)
        .mapToDouble(Iteration::messagesPerSecond)
        .average()
        .orElseThrow();
  }

  private double[] rates() {
    return iterations.stream().mapToDouble(Iteration::messagesPerSecond).toArray();
  }

  /**
   * Forks that were measured.
   *
   * @return forks named by the iterations
   */
  public int forks() {
    return (int) iterations.stream().mapToInt(Iteration::fork).distinct().count();
  }

  /**
   * One measured iteration.
   *
   * @param fork the fork it ran in, from 1
   * @param messagesPerSecond its rate, messages per second
   */
  public record Iteration(int fork, double messagesPerSecond) {}
}
