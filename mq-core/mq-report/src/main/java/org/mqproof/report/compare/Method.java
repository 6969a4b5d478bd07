package org.mqproof.report.compare;

import org.mqproof.report.Interval;

/**
 * How to compare. Immutable.
 *
 * @param threshold a change of the rate that counts, as a share, between 0 and 1
 * @param confidence probability that no row's interval misses, if nothing changed
 * @param seed of the resampling: the same files and seed give the same answer
 */
record Method(double threshold, double confidence, long seed) {

  /** Of these, fewer than a hundred and fifty different resamples can be drawn: see the docs. */
  static final int LEAST_FORKS = Interval.LEAST_FORKS;

  /** The half width, as a logarithm, at which a row is no longer too noisy. */
  double precision() {
    return -Math.log1p(-threshold);
  }

  /** For each of so many rows, so that it holds for all of them together (Bonferroni). */
  Method sharedBy(int rows) {
    return new Method(threshold, 1 - (1 - confidence) / Math.max(1, rows), seed);
  }
}
