package org.mqproof.jmh.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.report.Latency;
import org.mqproof.jmh.report.Row;
import org.mqproof.jmh.report.Standing;
import org.mqproof.jmh.report.Throughput;

/** Published figures and ours, side by side. Stateless, thread-safe. */
public final class Beside {

  private static final String FORMAT = "%-34s %-24s %12s %16s %8s  %s%n";

  private Beside() {}

  /**
   * A line per published figure that one of our rows stands beside.
   *
   * @param scenario the scenario
   * @param rows what was measured
   * @return text that ends with a line break; a figure whose verdict does not hold is struck out
   *     and has no ratio
   */
  public static String of(Scenario scenario, List<Row> rows) {
    List<String> lines = new ArrayList<>();
    for (Scenario.Published published : scenario.published()) {
      for (Row row : rows) {
        if (matches(published.where(), row)) {
          add(lines, published.row(), row, "sent, msgs/s", published.sent(), rate(row.sent()));
          add(
              lines,
              published.row(),
              row,
              "received, msgs/s",
              published.received(),
              rate(row.received()));
          add(
              lines,
              published.row(),
              row,
              "send p95, ms",
              published.sendP95Millis(),
              p95(row.sendLatency()));
          add(
              lines,
              published.row(),
              row,
              "processing p95, ms",
              published.processingP95Millis(),
              p95(row.processingLatency()));
        }
      }
    }
    StringBuilder text = new StringBuilder();
    if (lines.isEmpty()) {
      text.append("The study published no figure for what was run here.\n");
    } else {
      text.append(
          FORMAT.formatted(
              "row of the study", "figure", "published", "ours", "ratio", "our verdict"));
      lines.forEach(text::append);
    }
    scenario.differs().forEach(line -> text.append("Not as in the study: ").append(line + "\n"));
    return text.toString();
  }

  private static boolean matches(Map<String, String> where, Row row) {
    return where.entrySet().stream()
        .allMatch(entry -> entry.getValue().equals(value(entry.getKey(), row)));
  }

  private static String value(String name, Row row) {
    return switch (name) {
      case "benchmark" -> row.benchmark();
      case "senders" -> String.valueOf(row.senders());
      case "receivers" -> String.valueOf(row.receivers());
      default -> row.params().getOrDefault(name, "");
    };
  }

  private static void add(
      List<String> lines,
      String name,
      Row row,
      String figure,
      @Nullable Double published,
      Optional<Double> ours) {
    if (published == null || ours.isEmpty()) {
      return;
    }
    boolean counts = row.standing() != Standing.VOID;
    String number = number(ours.get());
    lines.add(
        FORMAT.formatted(
            name,
            figure,
            number(published),
            counts ? number : "~~" + number + "~~",
            counts ? String.format(Locale.ROOT, "%.3g", ours.get() / published) : "-",
            switch (row.standing()) {
              case PROVEN -> "nothing lost";
              case UNVERIFIED -> "not verified";
              case VOID -> "DOES NOT HOLD";
            }));
  }

  private static Optional<Double> rate(@Nullable Throughput rate) {
    return rate == null ? Optional.empty() : Optional.of(rate.messagesPerSecond());
  }

  private static Optional<Double> p95(@Nullable Latency latency) {
    return latency == null ? Optional.empty() : Optional.of(latency.p95Nanos() / 1e6);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
