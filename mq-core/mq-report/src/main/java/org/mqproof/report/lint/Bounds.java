package org.mqproof.report.lint;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** The laws as arithmetic, and numbers as text. Stateless, thread-safe. */
final class Bounds {

  private Bounds() {}

  /**
   * The longest mean time of a call: by Little's law, calls under way = calls per second x mean
   * time, and there can be no more of them than threads (times the window of each).
   *
   * @param mostUnderWay calls, or messages
   * @param perSecond calls, or messages, per second
   * @return milliseconds
   */
  static double meanMillis(double mostUnderWay, double perSecond) {
    return 1000 * mostUnderWay / perSecond;
  }

  /**
   * The largest percentile that a mean allows: by Markov's inequality no more than a share {@code 1
   * - quantile} of samples that are never below zero can reach {@code mean / (1 - quantile)}.
   *
   * @param quantile from 0 to less than 1
   */
  static double percentile(double mean, double quantile) {
    return mean / (1 - quantile);
  }

  /** Three significant digits, or all before the point; without an exponent. */
  static String number(double value) {
    if (value == 0) {
      return "0";
    }
    return value >= 1000
        ? String.format(Locale.ROOT, "%,.0f", value)
        : new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }
}
