package org.mqproof.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A run in one sentence per system and mode. Stateless, thread-safe. */
public final class Findings {

  /** The benchmarks whose rate answers best come first. */
  private static final List<String> BENCHMARKS =
      List.of("FlowBenchmark", "Nodes", "SendBenchmark", "ReceiveBenchmark");

  private Findings() {}

  /**
   * What a run found.
   *
   * @param rows of the run
   * @return a sentence per system and mode, in the order of their first rows
   */
  public static List<String> of(List<Row> rows) {
    Map<String, List<Row>> subjects = new LinkedHashMap<>();
    for (Row row : rows) {
      String subject =
          row.target().mode().equals(row.target().system())
              ? row.target().system()
              : (row.target().system() + " " + row.target().mode()).strip();
      subjects.computeIfAbsent(subject, s -> new ArrayList<>()).add(row);
    }
    List<String> sentences = new ArrayList<>();
    subjects.forEach((subject, own) -> sentences.add(sentence(subject, own)));
    return sentences;
  }

  private static String sentence(String subject, List<Row> rows) {
    List<String> parts = new ArrayList<>();
    rate(rows).ifPresent(parts::add);
    latency(rows).ifPresent(parts::add);
    String found =
        parts.isEmpty() ? "no number of this run may be quoted" : String.join(", ", parts);
    return subject + " here: " + found + "; " + proof(rows) + ".";
  }

  /** Of the benchmark that says most, the fastest row that may be quoted, or where it went. */
  private static Optional<String> rate(List<Row> rows) {
    Optional<String> best =
        BENCHMARKS.stream()
            .filter(name -> rows.stream().anyMatch(row -> row.load().benchmark().equals(name)))
            .findFirst();
    List<Row> own =
        rows.stream().filter(row -> Optional.of(row.load().benchmark()).equals(best)).toList();
    Optional<Row> quoted =
        quotable(own).stream().max(Comparator.comparingDouble(row -> row.headline().median()));
    return quoted.isPresent()
        ? quoted.map(Findings::known)
        : own.stream()
            .filter(row -> row.standing() == Standing.PROVEN && row.trend() != null)
            .max(Comparator.comparingDouble(row -> row.headline().median()))
            .map(
                row ->
                    seen(row, row.headline().least(), row.headline().most()) + ", " + row.trend());
  }

  private static String known(Row row) {
    Throughput rate = row.headline();
    @Nullable Interval interval = rate.interval();
    return rough(row)
        + seen(
            row,
            interval == null ? rate.least() : interval.low(),
            interval == null ? rate.most() : interval.high());
  }

  private static String seen(Row row, double least, double most) {
    String low = count(twoDigits(least, false));
    String high = count(twoDigits(most, true));
    return "%s messages a second %s"
        .formatted(
            low.equals(high) ? low : low + " to " + high,
            row.rates().received() == null ? "sent" : "received");
  }

  /** Of the fastest open loop. */
  private static Optional<String> latency(List<Row> rows) {
    return quotable(rows).stream()
        .filter(row -> row.latencies().openLoop() != null && OpenLoop.response(row) != null)
        .max(Comparator.comparingDouble((Row row) -> row.headline().median()))
        .map(
            row -> {
              OpenLoop openLoop = row.latencies().openLoop();
              Latency response = OpenLoop.response(row);
              if (openLoop == null || response == null) {
                throw new IllegalStateException("the row has both");
              }
              return "%sp99 %s at %s/s"
                  .formatted(
                      rough(row),
                      Format.nanos(response.p99Nanos()).replace(Format.NBSP, " "),
                      count(openLoop.messagesPerSecond()));
            });
  }

  private static List<Row> quotable(List<Row> rows) {
    return rows.stream().filter(row -> Mark.of(row).kind() != Mark.Kind.DO_NOT_QUOTE).toList();
  }

  private static String rough(Row row) {
    return Mark.of(row).kind() == Mark.Kind.ROUGH ? "roughly " : "";
  }

  private static String proof(List<Row> rows) {
    long confirmed = 0;
    int unproven = 0;
    for (Row row : rows) {
      if (row.standing() == Standing.PROVEN && row.proof().verdict() != null) {
        confirmed += row.proof().verdict().confirmed();
      } else {
        unproven++;
      }
    }
    String all =
        unproven == rows.size()
            ? "nothing is proven"
            : "all of " + Format.count(confirmed) + " confirmed messages delivered";
    return unproven == 0 || unproven == rows.size()
        ? all
        : all + ", but " + Format.number(unproven, "row", "rows") + " not proven";
  }

  private static String count(double number) {
    return String.format(Locale.ENGLISH, "%,.0f", number);
  }

  /** Outward, so that the interval stays inside. */
  private static double twoDigits(double value, boolean up) {
    if (value <= 0) {
      return 0;
    }
    double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(value)) - 1));
    return (up ? Math.ceil(value / unit) : Math.floor(value / unit)) * unit;
  }
}
