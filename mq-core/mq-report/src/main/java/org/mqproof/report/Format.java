package org.mqproof.report;

import java.util.Locale;

/**
 * Numbers as a person reads them: thousands separated, three digits that matter, and always a unit.
 * Stateless, thread-safe.
 */
final class Format {

  /** Keeps a number and its unit on one line. */
  static final String NBSP = "\u00a0";

  private static final String[] TIME_UNITS = {"ns", "µs", "ms", "s"};
  private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Format() {}

  static String count(long count) {
    return String.format(Locale.ENGLISH, "%,d", count);
  }

  /** Without unit: its column or neighbour says what is counted per second. */
  static String rate(double perSecond) {
    return perSecond >= 100
        ? String.format(Locale.ENGLISH, "%,.0f", perSecond)
        : threeDigits(perSecond);
  }

  static String nanos(long nanos) {
    return nanos((double) nanos);
  }

  /** For example {@code "12.3 ms"}. */
  static String nanos(double nanos) {
    double value = nanos;
    int unit = 0;
    while (Math.abs(value) >= 999.5 && unit < TIME_UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    String digits =
        unit == 0 || Math.abs(value) >= 999.5
            ? String.format(Locale.ENGLISH, "%,.0f", value)
            : threeDigits(value);
    return digits + NBSP + TIME_UNITS[unit];
  }

  /** For example {@code "23.4 GiB"}. */
  static String bytes(double bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    String digits =
        value >= 999.5 || value == Math.rint(value)
            ? String.format(Locale.ENGLISH, "%,.0f", value)
            : threeDigits(value);
    return digits + NBSP + BYTE_UNITS[unit];
  }

  static String threeDigits(double value) {
    double size = Math.abs(value);
    String pattern = size >= 99.95 ? "%,.0f" : size >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ENGLISH, pattern, value);
  }

  /** A round time at an axis, for example {@code "200 µs"}. */
  static String tick(double nanos) {
    double value = nanos;
    int unit = 0;
    while (value >= 999.5 && unit < TIME_UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    return String.format(Locale.ENGLISH, "%,.0f\u00a0%s", value, TIME_UNITS[unit]);
  }

  /** A round count at an axis, for example {@code "1.5 M"}. */
  static String shortCount(double count) {
    if (count >= 1e6) {
      return plain(count / 1e6) + NBSP + "M";
    }
    return count >= 1e4 ? plain(count / 1e3) + NBSP + "k" : plain(count);
  }

  private static String plain(double value) {
    double rounded = Math.rint(value * 100) / 100;
    return rounded == Math.rint(rounded)
        ? String.format(Locale.ENGLISH, "%,.0f", rounded)
        : Double.toString(rounded);
  }

  /** For example {@code "1 row"}, {@code "2 rows"}. */
  static String number(long count, String one, String many) {
    return count(count) + " " + (count == 1 ? one : many);
  }
}
