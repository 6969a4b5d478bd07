package org.mqproof.report.compare;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * The rate after by the rate before, with a bootstrap interval. Immutable.
 *
 * <p>The unit of resampling is the fork, whole: iterations of one fork share its JIT decisions and
 * its place in memory, and are not independent. Resampling them as well would count their noise
 * twice, as each fork's mean already has it.
 *
 * @param value mean of the forks after by mean of the forks before
 * @param low lower end of the interval
 * @param high upper end of the interval
 * @param forksNeeded on each side, for an interval as narrow as the threshold asks for
 */
record Ratio(double value, double low, double high, int forksNeeded) {

  /** Their own noise moves an end of a 95 % interval by a hundredth of its width. */
  static final int RESAMPLES = 20_000;

  private static final int MOST_FORKS = 10_000;

  /**
   * Estimates.
   *
   * @param before a mean rate per fork, all above 0, at least two
   * @param after the same
   */
  static Ratio of(double[] before, double[] after, Method method) {
    double value = StatUtils.mean(after) / StatUtils.mean(before);
    double varianceBefore = StatUtils.variance(logarithms(before));
    double varianceAfter = StatUtils.variance(logarithms(after));
    if (varianceBefore + varianceAfter == 0) {
      return new Ratio(value, value, value, before.length);
    }
    double[] resampled = resample(before, after, method.seed());
    double tail =
        tail(varianceBefore, before.length, varianceAfter, after.length, method.confidence());
    int beyond = (int) (tail * RESAMPLES);
    return new Ratio(
        value,
        resampled[beyond],
        resampled[RESAMPLES - 1 - beyond],
        forksNeeded(varianceBefore + varianceAfter, method));
  }

  /** Ratios of resampled means, rising. */
  private static double[] resample(double[] before, double[] after, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] ratios = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      ratios[i] = resampledMean(after, random) / resampledMean(before, random);
    }
    Arrays.sort(ratios);
    return ratios;
  }

  private static double resampledMean(double[] forks, SplittableRandom random) {
    double sum = 0;
    for (int i = 0; i < forks.length; i++) {
      sum += forks[random.nextInt(forks.length)];
    }
    return sum / forks.length;
  }

  /**
   * Share of the resamples to leave out at each end. Of few forks the plain percentile interval is
   * too narrow: resampling sees (n - 1) / n of the variance, and knows it only from n values. So
   * the tail is that of a normal distribution at Student's t, with Welch's degrees of freedom,
   * times sqrt(n / (n - 1)): the expanded percentile interval of Hesterberg, 2015.
   */
  private static double tail(
      double varianceBefore, int before, double varianceAfter, int after, double confidence) {
    double b = varianceBefore / before;
    double a = varianceAfter / after;
    double freedom = (a + b) * (a + b) / (a * a / (after - 1) + b * b / (before - 1));
    double fewest = Math.min(before, after);
    double reach = Math.sqrt(fewest / (fewest - 1)) * student(confidence, freedom);
    return new NormalDistribution(null, 0, 1).cumulativeProbability(-reach);
  }

  /** The least number of forks a side whose interval would be narrow enough, were it Welch's. */
  private static int forksNeeded(double variances, Method method) {
    int forks = Method.LEAST_FORKS;
    while (forks < MOST_FORKS
        && student(method.confidence(), 2.0 * (forks - 1)) * Math.sqrt(variances / forks)
            > method.precision()) {
      forks++;
    }
    return forks;
  }

  private static double student(double confidence, double freedom) {
    return new TDistribution(null, freedom).inverseCumulativeProbability((1 + confidence) / 2);
  }

  private static double[] logarithms(double[] values) {
    return Arrays.stream(values).map(Math::log).toArray();
  }

  Call call(Method method) {
    double counts = 1 - method.threshold();
    if (high < 1 && value <= counts) {
      return Call.SLOWER;
    }
    if (low > 1 && value >= 1 / counts) {
      return Call.FASTER;
    }
    return Math.log(high / low) / 2 <= method.precision() ? Call.NO_DIFFERENCE : Call.TOO_NOISY;
  }
}
