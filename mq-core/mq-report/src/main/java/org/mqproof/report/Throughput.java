package org.mqproof.report;

import java.util.List;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;

/**
 * A rate and the iterations it was measured in. Plain data, see {@link Results}.
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

  /** The confidence of an interval that JMH gives. */
  public static final double CONFIDENCE = 0.999;

  private static final double MEBIBYTE = 1024 * 1024;

  /**
   * Makes a rate from messages of one size.
   *
   * @param messagesPerSecond mean over all measured iterations
   * @param error half width of JMH's own interval, messages per second; null where JMH gives none
   * @param bodyBytes size of each body
   * @param iterations the measured iterations, in order
   * @return a rate with the confidence {@link #CONFIDENCE}
   */
  public static Throughput of(
      double messagesPerSecond, @Nullable Double error, int bodyBytes, List<Iteration> iterations) {
    return new Throughput(
        messagesPerSecond, error, CONFIDENCE, messagesPerSecond * bodyBytes / MEBIBYTE, iterations);
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

  /** Where the rate of forks like these is; null below five forks. */
  @Nullable Interval interval() {
    return Interval.of(
        iterations.stream().mapToInt(Iteration::fork).distinct().mapToDouble(this::mean).toArray());
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
