package org.mqproof.report.lint;

import java.util.List;
import java.util.Locale;

/** What a latency column can say of its samples. */
enum Statistic {
  MEAN(0),
  P50(0.5),
  P90(0.9),
  P95(0.95),
  P99(0.99),
  P999(0.999),
  MAX(1);

  /** In the order in which their values have to rise. */
  static final List<Statistic> RISING = List.of(P50, P90, P95, P99, P999, MAX);

  /** Those to which Markov's inequality and the interpolation of a histogram apply. */
  static final List<Statistic> PERCENTILES = List.of(P50, P90, P95, P99, P999);

  private final double quantile;

  Statistic(double quantile) {
    this.quantile = quantile;
  }

  /** Share of the samples that do not exceed it; nothing for the mean. */
  double quantile() {
    return quantile;
  }

  /** As in the name of a column. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
