package org.mqproof.jmh.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Latency;
import org.mqproof.report.Published;
import org.mqproof.report.Row;
import org.mqproof.report.Standing;
import org.mqproof.report.Throughput;

/** Published figures and ours, side by side. Stateless, thread-safe. */
public final class PublishedComparison {

  private static final String FORMAT = "%-34s %-24s %12s %16s %14s %8s  %s%n";

  private PublishedComparison() {}

  /**
   * The published figures that one of our rows stands beside.
   *
   * @param scenario the scenario
   * @param rows what was measured
   * @return no figure where the study has none for what was run
   */
  public static Published of(Scenario scenario, List<Row> rows) {
    return new Published(
        scenario.study(),
        figures(scenario.study(), scenario.published(), rows),
        scenario.differs());
  }

  /**
   * The same of a matrix; its rows that none of ours stands beside are named.
   *
   * @param matrix as published
   * @param rows what was measured
   * @return no figure where the study has none for what was run
   */
  public static Published of(PublishedMatrix matrix, List<Row> rows) {
    List<Scenario.Published> all =
        matrix.matrix().stream().map(PublishedMatrix.Line::published).toList();
    List<String> differs = new ArrayList<>(matrix.differs());
    String missing =
        all.stream()
            .filter(line -> rows.stream().noneMatch(row -> matches(line.where(), row)))
            .map(Scenario.Published::row)
            .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      differs.add("not measured here: " + missing);
    }
    return new Published(matrix.study(), figures(matrix.study(), all, rows), List.copyOf(differs));
  }

  private static List<Published.Figure> figures(
      String study, List<Scenario.Published> all, List<Row> rows) {
    List<Published.Figure> figures = new ArrayList<>();
    for (Scenario.Published published : all) {
      for (int i = 0; i < rows.size(); i++) {
        Row row = rows.get(i);
        if (!matches(published.where(), row)) {
          continue;
        }
        Adder adder = new Adder(figures, published.row(), i + 1, study.startsWith("S0"));
        adder.rate("sent, msgs/s", published.sent(), row.rates().sent());
        adder.rate("received, msgs/s", published.received(), row.rates().received());
        adder.p95("send p95, ms", published.sendP95Millis(), row.latencies().send());
        // The age of a growing backlog is no latency of the system.
        Latency processing = row.fellBehind() ? null : row.latencies().processing();
        adder.p95("processing p95, ms", published.processingP95Millis(), processing);
      }
    }
    return List.copyOf(figures);
  }

  /**
   * The same as text.
   *
   * @param published the figures
   * @param rows what was measured
   * @return ends with a line break; a figure whose verdict does not hold is struck out and has no
   *     ratio
   */
  public static String text(Published published, List<Row> rows) {
    StringBuilder text = new StringBuilder();
    if (published.figures().isEmpty()) {
      text.append("The study published no figure for what was run here.\n");
    } else {
      text.append(
          FORMAT.formatted(
              "row of the study",
              "figure",
              "published",
              "ours",
              "by its method",
              "ratio",
              "our verdict"));
      published.figures().forEach(f -> text.append(line(f, rows.get(f.row() - 1).standing())));
    }
    published.differences().forEach(line -> text.append("Not as in the study: " + line + "\n"));
    return text.toString();
  }

  private static String line(Published.Figure figure, Standing standing) {
    boolean counts = standing != Standing.VOID;
    String ours = number(figure.ours());
    Double same = figure.ours2017();
    return FORMAT.formatted(
        figure.name(),
        figure.figure(),
        number(figure.published()),
        counts ? ours : "~~" + ours + "~~",
        same == null || !counts ? "-" : number(same),
        counts ? String.format(Locale.ROOT, "%.3g", figure.ratio()) : "-",
        switch (standing) {
          case PROVEN -> "holds";
          case UNVERIFIED -> "not verified";
          case VOID -> "does not hold";
        });
  }

  private static boolean matches(Map<String, String> where, Row row) {
    return where.entrySet().stream()
        .allMatch(entry -> entry.getValue().equals(value(entry.getKey(), row)));
  }

  private static String value(String name, Row row) {
    return switch (name) {
      case "benchmark" -> row.load().benchmark();
      case "system" -> row.target().system();
      case "senders" -> String.valueOf(row.load().senders());
      case "receivers" -> String.valueOf(row.load().receivers());
      default -> row.load().params().getOrDefault(name, "");
    };
  }

  private record Adder(List<Published.Figure> figures, String name, int row, boolean s0) {

    void rate(String figure, @Nullable Double published, @Nullable Throughput ours) {
      if (published != null && ours != null) {
        figures.add(
            new Published.Figure(name, figure, published, row, ours.messagesPerSecond(), null));
      }
    }

    void p95(String figure, @Nullable Double published, @Nullable Latency ours) {
      if (published != null && ours != null) {
        Long bucketed = s0 ? ours.p95BucketedNanos() : null;
        figures.add(
            new Published.Figure(
                name,
                figure,
                published,
                row,
                ours.p95Nanos() / 1e6,
                bucketed == null ? null : Double.valueOf(bucketed / 1e6)));
      }
    }
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
