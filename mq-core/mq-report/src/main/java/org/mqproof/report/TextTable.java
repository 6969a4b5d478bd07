package org.mqproof.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/** Prints rows as text for a console, each rate with its verdict. Stateless, thread-safe. */
public final class TextTable {

  private static final List<String> HEAD =
      List.of(
          "row",
          "benchmark",
          "system",
          "mode",
          "threads",
          "batch",
          "bytes",
          "msgs/s (least to most)",
          "quote?",
          "MiB/s",
          "send us p50/p99/max",
          "p95 ms",
          "processing us p50/p99/max",
          "p95 ms",
          "cpu us",
          "alloc B",
          "verdict");

  /** Columns that are text, and stand on the left. */
  private static final List<Integer> TEXT = List.of(1, 2, 3, 4, 5, 8, HEAD.size() - 1);

  private TextTable() {}

  /**
   * Formats the whole table with its footnotes.
   *
   * @param rows in the order in which they are to be shown
   * @return text that ends with a line break
   */
  public static String of(List<Row> rows) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(HEAD);
    for (int i = 0; i < rows.size(); i++) {
      lines.add(line(i + 1, rows.get(i)));
    }
    int[] widths = new int[HEAD.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String cell = line.get(i);
        String pad = " ".repeat(widths[i] - cell.length());
        one.append(i == 0 ? "" : "  ").append(TEXT.contains(i) ? cell + pad : pad + cell);
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    text.append(
        "Rates are medians of the measured iterations, with the slowest and the fastest;"
            + " where they drifted, only these."
            + " Send latencies are service times, from the call; costs are per message, client"
            + " only.\n");
    for (int i = 0; i < rows.size(); i++) {
      String who = "row %d, %s: ".formatted(i + 1, rows.get(i).load().benchmark());
      footnotes(rows.get(i)).forEach(note -> text.append(who).append(note).append('\n'));
    }
    return text.toString();
  }

  private static List<String> line(int number, Row row) {
    Throughput rate = row.headline();
    String messages = rate(row);
    return List.of(
        Integer.toString(number),
        row.load().benchmark(),
        row.target().system()
            + (row.target().brokerVersion().isEmpty() ? "" : " " + row.target().brokerVersion()),
        row.target().mode(),
        threads(row),
        row.load().params().getOrDefault("batch", "-") + (row.async() ? " async" : ""),
        row.load().params().getOrDefault("bodyBytes", "-"),
        row.counts() ? messages : "~~" + messages + "~~",
        Mark.of(row).kind().words(),
        String.format(Locale.ROOT, "%.1f", rate.mebibytesPerSecond()),
        latency(row.latencies().send()),
        p95(row.latencies().send()),
        row.fellBehind() ? "fell behind" : latency(row.latencies().processing()),
        row.fellBehind() ? "-" : p95(row.latencies().processing()),
        amount("%.2f", row.cost().cpuMicrosPerMessage()),
        amount("%,.0f", row.cost().allocatedBytesPerMessage()),
        judgement(row));
  }

  private static String threads(Row row) {
    if (row.load().senders() > 0 && row.load().receivers() > 0) {
      return row.load().senders() + "+" + row.load().receivers();
    }
    return String.valueOf(row.load().senders() + row.load().receivers());
  }

  private static String rate(Row row) {
    Throughput rate = row.headline();
    @Nullable String trend = row.trend();
    if (trend != null) {
      return String.format(Locale.ROOT, "%,.0f to %,.0f, %s", rate.least(), rate.most(), trend);
    }
    String median = String.format(Locale.ROOT, "%,.0f", rate.median());
    return rate.iterations().size() < 2
        ? median
        : median + String.format(Locale.ROOT, " (%,.0f to %,.0f)", rate.least(), rate.most());
  }

  private static String latency(@Nullable Latency latency) {
    return latency == null
        ? "-"
        : micros(latency.p50Nanos())
            + "/"
            + micros(latency.p99Nanos())
            + "/"
            + micros(latency.maxNanos());
  }

  private static String p95(@Nullable Latency latency) {
    return latency == null
        ? "-"
        : String.format(
            Locale.ROOT, latency.p95Nanos() < 1e8 ? "%.2f" : "%,.0f", latency.p95Nanos() / 1e6);
  }

  /** Three digits are what the histogram holds. */
  private static String micros(long nanos) {
    return String.format(Locale.ROOT, nanos < 10_000 ? "%.2f" : "%,.0f", nanos / 1e3);
  }

  private static String amount(String format, @Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, format, value);
  }

  /** The judgement of a row in one line. */
  static String judgement(Row row) {
    Verdict verdict = row.proof().verdict();
    if (verdict == null) {
      return row.failed() ? "FAILED" : "not verified";
    }
    return (row.failed() ? "FAILED; " : "") + verdict.judgement().words();
  }

  private static List<String> footnotes(Row row) {
    List<String> notes = new ArrayList<>();
    Mark mark = Mark.of(row);
    if (mark.kind() != Mark.Kind.QUOTE) {
      notes.add(mark.sentence());
    }
    notes.addAll(row.proof().notes());
    row.doubts().forEach(doubt -> notes.add("in doubt: " + doubt.sentence()));
    Verdict verdict = row.proof().verdict();
    if (verdict != null && !row.counts()) {
      verdict.examples().forEach(example -> notes.add(example));
    }
    return notes;
  }
}
