package org.mqproof.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;

/**
 * Where a value stands on an axis. Immutable.
 *
 * @param position from a value to its place between 0 and 1
 * @param ticks the values to name, with their names
 */
record Scale(DoubleUnaryOperator position, List<Tick> ticks) {

  /** A named place between 0 and 1. */
  record Tick(double at, String label) {}

  /** From 0 to at least {@code max}, with about four round ticks. */
  static Scale linear(double max, DoubleFunction<String> label) {
    double top = max > 0 ? max : 1;
    double step = roundStep(top / 4);
    double end = Math.ceil(top / step - 1e-9) * step;
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i * step <= end * (1 + 1e-9); i++) {
      ticks.add(new Tick(i * step / end, label.apply(i * step)));
    }
    return new Scale(value -> value / end, List.copyOf(ticks));
  }

  /** The next 1, 2 or 5 times a power of ten. */
  private static double roundStep(double atLeast) {
    double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= atLeast * (1 - 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  /**
   * Logarithmic, over all of {@code min} to {@code max}, both above zero. Ticks at the powers of
   * ten, and at 2 and 5 times them where there are few.
   */
  static Scale log(double min, double max, DoubleFunction<String> label) {
    List<Double> grid = new ArrayList<>();
    boolean fine = max / min < 50;
    double low = gridBelow(min, fine);
    for (double value = low; ; value = next(value, fine)) {
      grid.add(value);
      if (value >= max * (1 - 1e-9) && grid.size() > 1) {
        break;
      }
    }
    double base = Math.log10(low);
    double width = Math.log10(grid.get(grid.size() - 1)) - base;
    DoubleUnaryOperator position = value -> (Math.log10(value) - base) / width;
    return new Scale(
        position,
        grid.stream()
            .map(value -> new Tick(position.applyAsDouble(value), label.apply(value)))
            .toList());
  }

  private static double gridBelow(double value, boolean fine) {
    double power = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    if (fine && value >= 5 * power) {
      return 5 * power;
    }
    return fine && value >= 2 * power ? 2 * power : power;
  }

  private static double next(double value, boolean fine) {
    double power = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    if (!fine) {
      return 10 * power;
    }
    double factor = value / power;
    return factor < 1.5 ? 2 * power : factor < 3.5 ? 5 * power : 10 * power;
  }

  /** Percentiles from 0 to 99.99: each nine of the tail takes the same space. */
  static Scale percentiles() {
    DoubleUnaryOperator position = percent -> -Math.log10(1 - percent / 100) / 4;
    List<Tick> ticks = new ArrayList<>();
    for (double percent : new double[] {50, 90, 99, 99.9, 99.99}) {
      String name = String.format(Locale.ENGLISH, percent % 1 == 0 ? "%.0f" : "%s", percent);
      ticks.add(new Tick(position.applyAsDouble(percent), name + " %"));
    }
    return new Scale(position, List.copyOf(ticks));
  }

  /** Seconds from 0 to {@code seconds}, at least 1, with a few round ticks. */
  static Scale seconds(int seconds) {
    double step = Math.max(1, roundStep(seconds / 5.0));
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i * step <= seconds; i++) {
      ticks.add(new Tick(i * step / seconds, Format.count(Math.round(i * step)) + " s"));
    }
    return new Scale(value -> value / seconds, List.copyOf(ticks));
  }
}
