package org.mqproof.jmh.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rate as JMH measured it, with its error. Plain data, see {@link Results}.
 *
 * @param messagesPerSecond mean over all measured iterations of all forks, messages per second
 * @param error half width of the confidence interval, messages per second; null where JMH gives
 *     none (fewer than three iterations: JMH says NaN)
 * @param confidence probability that the interval holds the true mean, between 0 and 1; JMH's is
 *     0.999
 * @param mebibytesPerSecond bodies alone, 1,048,576 bytes per second
 * @param iterations the measured iterations, in order
 */
public record Throughput(
    double messagesPerSecond,
    @Nullable Double error,
    double confidence,
    double mebibytesPerSecond,
    List<Iteration> iterations) {

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
