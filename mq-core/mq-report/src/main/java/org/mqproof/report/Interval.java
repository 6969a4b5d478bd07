package org.mqproof.report;

import java.util.Arrays;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;

/**
 * Where the mean of forks like those measured is, with 95 % confidence. Immutable.
 *
 * @param low the lower end, never below 0
 * @param high the upper end
 */
public record Interval(double low, double high) {

  /** Below so many forks their spread says nothing that one could rank or quote by. */
  public static final int LEAST_FORKS = 5;

  private static final double CONFIDENCE = 0.95;

  /**
   * By logarithms, as neither a rate nor a latency is ever below zero.
   *
   * @param forks one value per fork: iterations of one fork share its compiled code and its place
   *     in memory, so only forks are independent
   * @return null below five forks, or if one is not above 0
   */
  static @Nullable Interval of(double[] forks) {
    if (forks.length < LEAST_FORKS || Arrays.stream(forks).anyMatch(value -> value <= 0)) {
      return null;
    }
    double[] logarithms = Arrays.stream(forks).map(Math::log).toArray();
    double student =
        new TDistribution(null, forks.length - 1.0)
            .inverseCumulativeProbability((1 + CONFIDENCE) / 2);
    double reach = student * Math.sqrt(StatUtils.variance(logarithms) / forks.length);
    double middle = StatUtils.mean(logarithms);
    return new Interval(Math.exp(middle - reach), Math.exp(middle + reach));
  }

  boolean overlaps(Interval other) {
    return low <= other.high && other.low <= high;
  }

  /** The upper end by the lower one. */
  double factor() {
    return high / low;
  }
}
