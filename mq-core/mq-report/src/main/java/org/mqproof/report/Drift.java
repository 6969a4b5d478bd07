package org.mqproof.report;

/**
 * How the rate changed while it was measured. Plain data, see {@link Results}.
 *
 * @param change of the mean rate from the first third of the seconds to the last, as a share of the
 *     first; below 0 where it fell
 * @param z of the test of Mann and Kendall for a trend, forks together: standard deviations from no
 *     trend
 * @param seconds that were measured from end to end, of all forks; the test rests on them, or where
 *     iterations are too short to have such seconds, on so many iterations
 */
public record Drift(double change, double z, int seconds) {

  /** Less is no reason to doubt a mean. */
  private static final double LEAST_CHANGE = 0.1;

  /** Chance exceeds it in one of a hundred steady runs. */
  private static final double LEAST_Z = 2.576;

  /**
   * Whether a trend is beyond chance.
   *
   * @param z standard deviations from no trend
   * @return whether chance exceeds it in less than one of a hundred steady runs
   */
  public static boolean beyondChance(double z) {
    return Math.abs(z) > LEAST_Z;
  }

  /**
   * Whether the rate was not steady: beyond chance, and by more than a tenth.
   *
   * @return false where it only jumped up and down
   */
  public boolean unsteady() {
    return beyondChance(z) && Math.abs(change) > LEAST_CHANGE;
  }
}
