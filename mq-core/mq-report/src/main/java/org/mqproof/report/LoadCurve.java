package org.mqproof.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;

/**
 * Response time of a send by the rate that was offered: the rows of one open loop that differ in
 * their rate alone, three rates or more. Immutable.
 *
 * @param name the system and what else tells it from other curves
 * @param points by rate, rising
 * @param knee between which rates it bends up; null if it does not
 */
public record LoadCurve(String name, List<Point> points, @Nullable Knee knee) {

  private static final int LEAST_RATES = 3;

  /** A p99 so many times the lowest of the curve is beyond the knee; a convention. */
  private static final double BENT = 4;

  /**
   * All runs at one rate; of several, the medians.
   *
   * @param messagesPerSecond the rate that was asked for
   * @param p50Nanos median of the response time, nanoseconds
   * @param p99Nanos 99th percentile, nanoseconds
   * @param p999Nanos 99.9th percentile, nanoseconds
   * @param held whether every send was begun: if not, the times are lower bounds
   */
  public record Point(
      double messagesPerSecond, double p50Nanos, double p99Nanos, double p999Nanos, boolean held) {}

  /**
   * Where the curve bends up for good.
   *
   * @param below the highest rate below it, messages per second
   * @param above the next one: from it on the p99 is four times the lowest of the curve or more, or
   *     the rate was not held
   */
  public record Knee(double below, double above) {}

  private record Group(
      String benchmark, Map<String, String> params, Row.Target target, int senders, int receivers) {

    String name() {
      return String.format(
          Locale.ROOT,
          "%s, %d+%d threads",
          (target.system() + " " + target.mode()).strip(),
          senders,
          receivers);
    }
  }

  /**
   * One for each open loop that ran at several rates.
   *
   * @param rows what was measured; void ones are left out
   * @return empty if none ran at three rates or more
   */
  static List<LoadCurve> of(List<Row> rows) {
    Map<Group, List<Row>> groups = new LinkedHashMap<>();
    for (Row row : rows) {
      if (OpenLoop.response(row) != null && row.counts()) {
        Map<String, String> params = new TreeMap<>(row.load().params());
        params.remove("rate");
        Group group =
            new Group(
                row.load().benchmark(),
                params,
                row.target(),
                row.load().senders(),
                row.load().receivers());
        groups.computeIfAbsent(group, g -> new ArrayList<>()).add(row);
      }
    }
    List<LoadCurve> curves = new ArrayList<>();
    groups.forEach(
        (group, same) -> {
          List<Point> points = points(same);
          if (points.size() >= LEAST_RATES) {
            curves.add(new LoadCurve(group.name(), points, knee(points)));
          }
        });
    return curves;
  }

  private static List<Point> points(List<Row> rows) {
    Map<Double, List<OpenLoop>> byRate = new TreeMap<>();
    for (Row row : rows) {
      OpenLoop openLoop = row.latencies().openLoop();
      if (openLoop != null) {
        byRate
            .computeIfAbsent(openLoop.messagesPerSecond(), rate -> new ArrayList<>())
            .add(openLoop);
      }
    }
    List<Point> points = new ArrayList<>();
    byRate.forEach(
        (rate, runs) -> {
          List<Latency> times = new ArrayList<>();
          for (OpenLoop run : runs) {
            if (run.response() != null) {
              times.add(run.response());
            }
          }
          points.add(
              new Point(
                  rate,
                  median(times.stream().mapToDouble(Latency::p50Nanos).toArray()),
                  median(times.stream().mapToDouble(Latency::p99Nanos).toArray()),
                  median(times.stream().mapToDouble(Latency::p999Nanos).toArray()),
                  runs.stream().allMatch(run -> run.unsent() == 0)));
        });
    return points;
  }

  private static double median(double[] values) {
    return StatUtils.percentile(values, 50);
  }

  /** The last rate that is still good, if a worse one follows. */
  private static @Nullable Knee knee(List<Point> points) {
    double lowest = points.stream().mapToDouble(Point::p99Nanos).min().orElseThrow();
    int good = points.size() - 1;
    while (good >= 0 && isBeyond(points.get(good), lowest)) {
      good--;
    }
    return good < 0 || good == points.size() - 1
        ? null
        : new Knee(points.get(good).messagesPerSecond(), points.get(good + 1).messagesPerSecond());
  }

  private static boolean isBeyond(Point point, double lowest) {
    return !point.held() || point.p99Nanos() >= BENT * lowest;
  }

  /** Where the knee is, in a sentence. */
  String sentence() {
    return knee == null
        ? "no knee up to %s msgs/s".formatted(Format.rate(last().messagesPerSecond()))
        : "the knee is between %s and %s msgs/s"
            .formatted(Format.rate(knee.below()), Format.rate(knee.above()));
  }

  private Point last() {
    return points.get(points.size() - 1);
  }

  /**
   * A line for each curve.
   *
   * @param rows what was measured
   * @return ends with a line break; empty if nothing ran at three rates or more
   */
  public static String text(List<Row> rows) {
    StringBuilder text = new StringBuilder();
    of(rows)
        .forEach(
            curve -> text.append(curve.name()).append(": ").append(curve.sentence()).append('\n'));
    return text.toString();
  }

  static void write(Html html, List<LoadCurve> curves) {
    if (curves.isEmpty()) {
      return;
    }
    html.open("section", "id", "load").element("h2", "Latency against load");
    html.element(
        "p",
        "Response time of a send, from the moment it was due, by the rate that was offered; both axes"
            + " are logarithmic. Shaded: the knee, above which the p99 is four times the lowest or"
            + " more, or sends were never begun.",
        "class",
        "soft");
    html.open("p", "class", "soft keyline");
    Timelines.key(html, "line c0", "p50").text("  ");
    Timelines.key(html, "line c1", "p99").text("  ");
    Timelines.key(html, "line c2", "p99.9");
    html.close();
    html.open("div", "class", "plots");
    curves.forEach(curve -> curve.figure(html));
    html.close().closeLine();
  }

  private void figure(Html html) {
    html.open("figure").element("figcaption", name + ": " + sentence());
    double min = Math.max(1, points.stream().mapToDouble(Point::p50Nanos).min().orElseThrow());
    double max = points.stream().mapToDouble(Point::p999Nanos).max().orElseThrow();
    Plot plot =
        new Plot(
            "Response time by offered rate, " + name,
            Scale.log(
                points.get(0).messagesPerSecond(), last().messagesPerSecond(), Format::shortCount),
            Scale.log(min, Math.max(min, max), Format::tick));
    if (knee != null) {
      plot.band(knee.below(), knee.above(), "unmeasured", sentence());
    }
    plot.line("c0", "p50", line(Point::p50Nanos));
    plot.line("c1", "p99", line(Point::p99Nanos));
    plot.line("c2", "p99.9", line(Point::p999Nanos));
    for (Point point : points) {
      spot(plot, point, "p50", point.p50Nanos());
      spot(plot, point, "p99", point.p99Nanos());
      spot(plot, point, "p99.9", point.p999Nanos());
    }
    plot.write(html);
    html.closeLine();
  }

  private List<double[]> line(ToDoubleFunction<Point> nanos) {
    List<double[]> line = new ArrayList<>();
    for (Point point : points) {
      double value = nanos.applyAsDouble(point);
      line.add(new double[] {point.messagesPerSecond(), value > 0 ? value : Double.NaN});
    }
    return line;
  }

  private static void spot(Plot plot, Point point, String percentile, double nanos) {
    if (nanos > 0) {
      plot.spot(
          point.messagesPerSecond(),
          nanos,
          "%s msgs/s: %s %s%s"
              .formatted(
                  Format.rate(point.messagesPerSecond()),
                  percentile,
                  Format.nanos(nanos),
                  point.held() ? "" : " or more: the rate was not held"));
    }
  }
}
