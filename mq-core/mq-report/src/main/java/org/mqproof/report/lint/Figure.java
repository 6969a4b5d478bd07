package org.mqproof.report.lint;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A number as it was printed. Immutable.
 *
 * @param text as printed
 * @param value the number
 * @param halfUnit half a unit of the last digit: what rounding can have taken away or added
 */
record Figure(String text, double value, double halfUnit) {

  private static final Pattern GROUPED = Pattern.compile("\\d{1,3}([ ,]\\d{3})+(\\.\\d+)?");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,15}(\\.\\d{1,9})?");

  /** Reads a number of at least 0; empty if the text is not one ("~70", "109..1366"). */
  static Optional<Figure> of(String text) {
    String plain = text.strip();
    if (GROUPED.matcher(plain).matches()) {
      plain = plain.replaceAll("[ ,]", "");
    }
    if (!NUMBER.matcher(plain).matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(plain);
    return Optional.of(
        new Figure(
            text.strip(),
            number.doubleValue(),
            BigDecimal.ONE.movePointLeft(number.scale()).doubleValue() / 2));
  }

  /** The least it can have been before it was rounded, but not below 0. */
  double least() {
    return Math.max(0, value - halfUnit);
  }

  /** The most it can have been before it was rounded. */
  double most() {
    return value + halfUnit;
  }
}
