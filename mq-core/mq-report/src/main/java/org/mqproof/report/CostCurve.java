package org.mqproof.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.regression.SimpleRegression;
import org.jspecify.annotations.Nullable;

/**
 * What one message costs by the amount of work: the rows of one benchmark that differ in one amount
 * alone, three amounts or more. Immutable.
 *
 * @param axis the amount that grows
 * @param name the system and what else tells it from other curves of the axis
 * @param points by amount, rising
 * @param bends one for each cost that bends up
 */
public record CostCurve(Axis axis, String name, List<Point> points, List<Bend> bends) {

  private static final int LEAST_POINTS = 3;

  /** Two runs of the same on a shared machine may differ by half; what is twice as much is more. */
  private static final double BENT = 2;

  /** An amount of work that can grow while all else stays. */
  public enum Axis {
    /** Messages that the ledger of one fork has recorded when it is judged. */
    MESSAGES("messages through the ledger", "earlier"),
    /** Queues. */
    QUEUES("queues", "queues"),
    /** Threads of each kind. */
    THREADS("threads of each kind", ""),
    /** Messages in the queue when receiving begins, per receiver. */
    BACKLOG("messages in the backlog", "prefill"),
    /** Length of a body, bytes. */
    BODIES("bytes of a body", "bodyBytes");

    private final String words;
    private final String param;

    Axis(String words, String param) {
      this.words = words;
      this.param = param;
    }

    /** The amount that was asked for; NaN if the row has none. */
    private double asked(Row row) {
      if (this == THREADS) {
        return Math.max(row.load().senders(), row.load().receivers());
      }
      try {
        return Double.parseDouble(row.load().params().getOrDefault(param, "NaN"));
      } catch (NumberFormatException e) {
        return Double.NaN; // a parameter of the same name that is no number
      }
    }

    private Point point(List<Row> rows) {
      Map<Cost, Double> costs = new TreeMap<>();
      for (Cost cost : Cost.values()) {
        // What the ledger holds depends on how many messages it has seen, and on nothing else.
        if (cost != Cost.LEDGER || this == MESSAGES) {
          costs.put(cost, median(rows, cost::of));
        }
      }
      return new Point(median(rows, this::amount), costs);
    }

    private double amount(Row row) {
      if (this != MESSAGES) {
        return asked(row);
      }
      long forks =
          row.headline().iterations().stream()
              .mapToInt(Throughput.Iteration::fork)
              .distinct()
              .count();
      return row.proof().verdict() == null
          ? Double.NaN
          : (double) row.proof().verdict().attempted() / Math.max(1, forks);
    }
  }

  /** What a message costs. */
  public enum Cost {
    /** All threads together need so long for a message; an open loop's rate says nothing of it. */
    TIME("time", "c0"),
    /** CPU time of the measuring JVM. */
    CPU("CPU time", "c1"),
    /** Heap that the measuring JVM allocates. */
    ALLOCATED("allocated", "c2"),
    /** What the ledger still holds at the end. */
    LEDGER("held by the ledger", "c3");

    private final String words;
    private final String style;

    Cost(String words, String style) {
      this.words = words;
      this.style = style;
    }

    private String format(double amount) {
      return switch (this) {
        case TIME, CPU -> Format.nanos(amount);
        case ALLOCATED -> Format.bytes(amount);
        case LEDGER -> String.format(Locale.ENGLISH, "%.2g B", amount);
      };
    }

    /** Nanoseconds or bytes; NaN if it was not measured. */
    private double of(Row row) {
      return switch (this) {
        case TIME ->
            row.latencies().openLoop() != null || row.headline().messagesPerSecond() <= 0
                ? Double.NaN
                : 1e9 / row.headline().messagesPerSecond();
        case CPU -> 1e3 * orNaN(row.cost().cpuMicrosPerMessage());
        case ALLOCATED -> orNaN(row.cost().allocatedBytesPerMessage());
        case LEDGER -> orNaN(row.cost().ledgerBytesPerMessage());
      };
    }

    private static double orNaN(@Nullable Double value) {
      return value == null || value <= 0 ? Double.NaN : value;
    }
  }

  /**
   * All runs of one amount; of several, the medians.
   *
   * @param amount in the unit of the axis
   * @param costs nanoseconds or bytes per message; NaN if it was not measured
   */
  public record Point(double amount, Map<Cost, Double> costs) {

    double of(Cost cost) {
      return costs.getOrDefault(cost, Double.NaN);
    }
  }

  /**
   * Where a cost bends up for good.
   *
   * @param cost which
   * @param below the highest amount below the bend
   * @param above the next one: from it on a message costs at least twice the lowest cost of less
   *     work
   * @param factor how many times the lowest cost it is at the largest amount
   * @param exponent from the amount of the lowest cost on it grows as the amount to this power, by
   *     least squares
   */
  public record Bend(Cost cost, double below, double above, double factor, double exponent) {

    private String words() {
      return String.format(
          Locale.ENGLISH,
          "bends between %s and %s, to %s times its lowest (grows as the amount to the power of %.1f)",
          Format.shortCount(below),
          Format.shortCount(above),
          Format.threeDigits(factor),
          exponent);
    }
  }

  private record Group(
      String benchmark, Map<String, String> params, Row.Target target, int senders, int receivers) {

    static Group of(Row row, Axis axis) {
      Map<String, String> params = new TreeMap<>(row.load().params());
      params.remove(axis.param);
      boolean threads = axis == Axis.THREADS;
      return new Group(
          row.load().benchmark(),
          params,
          row.target(),
          threads ? 0 : row.load().senders(),
          threads ? 0 : row.load().receivers());
    }

    String name() {
      return "%s, %s%s%s"
          .formatted(
              target.mode().contains(target.system())
                  ? target.mode()
                  : (target.system() + " " + target.mode()).strip(),
              benchmark,
              senders + receivers == 0 ? "" : ", %d+%d threads".formatted(senders, receivers),
              "false".equals(params.get("ledger")) ? ", ledger off" : "");
    }
  }

  /**
   * One for each axis along which a benchmark ran.
   *
   * @param rows what was measured; void ones are left out
   * @return empty if nothing ran with three amounts or more
   */
  static List<CostCurve> of(List<Row> rows) {
    List<CostCurve> curves = new ArrayList<>();
    for (Axis axis : Axis.values()) {
      Map<Group, Map<Double, List<Row>>> groups = new LinkedHashMap<>();
      for (Row row : rows) {
        if (row.counts() && axis.asked(row) >= 0 && axis.amount(row) > 0) {
          groups
              .computeIfAbsent(Group.of(row, axis), group -> new TreeMap<>())
              .computeIfAbsent(axis.asked(row), amount -> new ArrayList<>())
              .add(row);
        }
      }
      groups.forEach(
          (group, byAmount) -> {
            if (byAmount.size() >= LEAST_POINTS) {
              List<Point> points =
                  byAmount.values().stream()
                      .map(same -> axis.point(same))
                      .sorted(Comparator.comparingDouble(Point::amount))
                      .toList();
              curves.add(new CostCurve(axis, group.name(), points, bends(points)));
            }
          });
    }
    return curves;
  }

  private static double median(List<Row> rows, ToDoubleFunction<Row> value) {
    return StatUtils.percentile(rows.stream().mapToDouble(value).toArray(), 50);
  }

  private static List<Bend> bends(List<Point> points) {
    List<Bend> bends = new ArrayList<>();
    for (Cost cost : Cost.values()) {
      List<Point> known = points.stream().filter(point -> point.of(cost) > 0).toList();
      int bent = known.size();
      while (bent > 1 && known.get(bent - 1).of(cost) >= BENT * lowest(known, bent - 1, cost)) {
        bent--;
      }
      if (bent < known.size()) {
        double lowest = lowest(known, bent, cost);
        SimpleRegression line = new SimpleRegression();
        known.stream()
            .dropWhile(point -> point.of(cost) > lowest)
            .forEach(point -> line.addData(Math.log(point.amount()), Math.log(point.of(cost))));
        bends.add(
            new Bend(
                cost,
                known.get(bent - 1).amount(),
                known.get(bent).amount(),
                known.get(known.size() - 1).of(cost) / lowest,
                line.getSlope()));
      }
    }
    return bends;
  }

  /** The lowest of the first {@code count} points. */
  private static double lowest(List<Point> points, int count, Cost cost) {
    return points.subList(0, count).stream()
        .mapToDouble(point -> point.of(cost))
        .min()
        .orElseThrow();
  }

  private List<Cost> costs() {
    return Arrays.stream(Cost.values())
        .filter(cost -> points.stream().anyMatch(point -> point.of(cost) > 0))
        .toList();
  }

  /** What bends, and where. */
  String sentence() {
    return bends.isEmpty()
        ? "nothing bends from %s to %s".formatted(amount(points.get(0)), amount(last()))
        : bends.stream()
            .map(bend -> bend.cost().words + " " + bend.words())
            .collect(Collectors.joining("; "));
  }

  private Point last() {
    return points.get(points.size() - 1);
  }

  private String amount(Point point) {
    return Format.shortCount(point.amount());
  }

  private static String cost(Point point, Cost cost) {
    return point.of(cost) > 0 ? cost.format(point.of(cost)) : "-";
  }

  /**
   * A table for each curve, and what bends.
   *
   * @param rows what was measured
   * @return ends with a line break; empty if nothing ran with three amounts or more
   */
  public static String text(List<Row> rows) {
    StringBuilder text = new StringBuilder();
    for (CostCurve curve : of(rows)) {
      text.append("Cost of a message by %s (%s):%n".formatted(curve.axis.words, curve.name));
      text.append("%12s".formatted(""));
      curve.costs().forEach(cost -> text.append("%20s".formatted(cost.words)));
      text.append('\n');
      for (Point point : curve.points) {
        text.append("%12s".formatted(curve.amount(point)));
        curve.costs().forEach(cost -> text.append("%20s".formatted(cost(point, cost))));
        text.append('\n');
      }
      text.append("  ").append(curve.sentence()).append('\n');
    }
    return text.toString();
  }

  static void write(Html html, List<CostCurve> curves) {
    if (curves.isEmpty()) {
      return;
    }
    html.open("section", "id", "cost").element("h2", "Cost against work");
    html.element(
        "p",
        "What a message costs while one amount grows and all else stays, as a multiple of the lowest"
            + " of the line; both axes are logarithmic. A line that stays flat costs the same however"
            + " much there is to do. Shaded: a bend, above which a message costs twice the lowest cost"
            + " of less work or more.",
        "class",
        "soft");
    html.open("p", "class", "soft keyline");
    curves.stream()
        .flatMap(curve -> curve.costs().stream())
        .sorted()
        .collect(Collectors.toCollection(LinkedHashSet::new))
        .forEach(cost -> Timelines.key(html, "line " + cost.style, cost.words).text("  "));
    html.close();
    html.open("div", "class", "plots");
    curves.forEach(curve -> curve.figure(html));
    html.close().closeLine();
  }

  private void figure(Html html) {
    html.open("figure").element("figcaption", "By %s: %s".formatted(axis.words, name));
    double most = 1;
    for (Cost cost : costs()) {
      for (Point point : points) {
        most = Math.max(most, multiple(point, cost));
      }
    }
    Plot plot =
        new Plot(
            "Cost of a message by " + axis.words + ", " + name,
            Scale.log(points.get(0).amount(), last().amount(), Format::shortCount),
            Scale.log(1, Math.max(10, most), times -> "× " + Format.shortCount(times)));
    bends.stream()
        .map(bend -> List.of(bend.below(), bend.above()))
        .distinct()
        .forEach(bend -> plot.band(bend.get(0), bend.get(1), "unmeasured", sentence()));
    for (Cost cost : costs()) {
      plot.line(
          cost.style,
          cost.words,
          points.stream()
              .map(point -> new double[] {point.amount(), multiple(point, cost)})
              .toList());
      for (Point point : points) {
        if (point.of(cost) > 0) {
          plot.spot(
              point.amount(),
              multiple(point, cost),
              "%s %s: %s %s a message"
                  .formatted(amount(point), axis.words, cost.words, cost(point, cost)));
        }
      }
    }
    plot.write(html);
    html.open("ul", "class", "legend");
    for (Cost cost : costs()) {
      html.open("li").open("svg", "class", "key", "aria-hidden", "true", "viewBox", "0 0 28 8");
      html.leaf("path", "class", "line " + cost.style, "d", "M2 4H26").close();
      html.element("span", cost.words).open("span", "class", "soft");
      html.text(cost(points.get(0), cost) + " → " + cost(last(), cost));
      bends.stream()
          .filter(bend -> bend.cost() == cost)
          .forEach(bend -> html.text(" · ").element("b", bend.words()));
      html.close();
      html.closeLine();
    }
    html.close().closeLine();
  }

  private double multiple(Point point, Cost cost) {
    double lowest =
        points.stream()
            .mapToDouble(each -> each.of(cost))
            .filter(each -> each > 0)
            .min()
            .orElse(Double.NaN);
    return point.of(cost) / lowest;
  }
}
