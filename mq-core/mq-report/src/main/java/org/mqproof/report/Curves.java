package org.mqproof.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Latency by percentile: one line per row, one plot per benchmark and kind of latency. Stateless,
 * thread-safe.
 */
final class Curves {

  private static final double LAST_PERCENTILE = 99.99;

  private Curves() {}

  static void write(Html html, List<Entry> entries) {
    html.open("section", "id", "latency").element("h2", "Latency");
    boolean any =
        entries.stream()
            .anyMatch(
                e ->
                    e.row().latencies().send() != null || e.row().latencies().processing() != null);
    if (!any) {
      html.element("p", "No latency was measured.", "class", "soft").closeLine();
      return;
    }
    html.element(
        "p",
        "Every line ends at 99.99 %, or before, where fewer than one sample is left to speak."
            + " Both axes are logarithmic. Send latency is from the call of a send to its return,"
            + " per batch; processing latency from the call of a send to the return of the receive"
            + " that holds the message. In a closed loop both count from the actual start of the"
            + " call (service time). An open loop's response time and processing latency count"
            + " from the moment the send was due: a stall is in every send that fell into it.",
        "class",
        "soft");
    Map<String, List<Entry>> benchmarks = new LinkedHashMap<>();
    for (Entry entry : entries) {
      benchmarks.computeIfAbsent(entry.row().load().benchmark(), b -> new ArrayList<>()).add(entry);
    }
    html.open("div", "class", "plots");
    benchmarks.forEach(
        (benchmark, group) -> {
          figure(html, benchmark + ": send latency", group, row -> row.latencies().send(), false);
          figure(html, benchmark + ": response time of a send", group, OpenLoop::response, false);
          figure(
              html,
              benchmark + ": processing latency",
              group,
              row -> row.latencies().processing(),
              true);
        });
    html.close().closeLine();
  }

  private static void figure(
      Html html,
      String title,
      List<Entry> group,
      Function<Row, @Nullable Latency> kind,
      boolean processing) {
    Map<Entry, List<double[]>> lines = new LinkedHashMap<>();
    double min = Double.MAX_VALUE;
    double max = 0;
    for (Entry entry : group) {
      Latency latency = kind.apply(entry.row());
      if (latency == null) {
        continue;
      }
      List<double[]> points = points(latency);
      lines.put(entry, points);
      for (double[] point : points) {
        min = Math.min(min, point[1]);
        max = Math.max(max, point[1]);
      }
    }
    if (lines.isEmpty()) {
      return;
    }
    html.open("figure").element("figcaption", title);
    if (max > 0) {
      Plot plot = new Plot(title, Scale.percentiles(), Scale.log(min, max, Format::tick));
      lines.forEach((entry, points) -> plot.line(style(entry, processing), entry.label(), points));
      lines.forEach((entry, points) -> spots(plot, entry, kind.apply(entry.row())));
      plot.write(html);
    }
    html.open("ul", "class", "legend");
    lines.keySet().forEach(entry -> legend(html, entry, kind.apply(entry.row()), processing));
    html.close().closeLine();
  }

  /** The part of the curve that can be drawn: above zero, and as far as there are samples. */
  private static List<double[]> points(Latency latency) {
    double last = Math.min(LAST_PERCENTILE, 100 * (1 - 1.0 / latency.count()));
    List<double[]> points = new ArrayList<>();
    for (Latency.Point point : latency.curve()) {
      double percentile = Math.min(point.percentile(), last);
      if (point.nanos() > 0) {
        points.add(new double[] {percentile, point.nanos()});
      }
      if (point.percentile() >= last) {
        break;
      }
    }
    return points;
  }

  private static String style(Entry entry, boolean processing) {
    return entry.series() + (processing && entry.fellBehind() ? " behind" : "");
  }

  private static void spots(Plot plot, Entry entry, @Nullable Latency latency) {
    if (latency == null) {
      return;
    }
    spot(plot, entry, 50, "p50", latency.p50Nanos());
    spot(plot, entry, 95, "p95", latency.p95Nanos());
    spot(plot, entry, 99, "p99", latency.p99Nanos());
    if (latency.count() > 1000) {
      spot(plot, entry, 99.9, "p99.9", latency.p999Nanos());
    }
  }

  private static void spot(Plot plot, Entry entry, double percentile, String name, long nanos) {
    if (nanos > 0) {
      plot.spot(
          percentile, (double) nanos, entry.label() + ": " + name + " " + Format.nanos(nanos));
    }
  }

  private static void legend(
      Html html, Entry entry, @Nullable Latency latency, boolean processing) {
    if (latency == null) {
      return;
    }
    boolean isVoid = entry.row().standing() == Standing.VOID;
    html.open("li").open("svg", "class", "key", "aria-hidden", "true", "viewBox", "0 0 28 8");
    html.leaf("path", "class", "line " + style(entry, processing), "d", "M2 4H26").close();
    html.open("span", "class", "user").element(isVoid ? "s" : "span", entry.label()).close();
    html.open("span", "class", "soft");
    if (isVoid) {
      html.element("b", Words.badge(entry.row()), "class", "void-text");
    } else if (processing && entry.fellBehind()) {
      html.text("receivers fell behind: this is the age of the backlog");
    } else {
      html.text("p50 " + Format.nanos(latency.p50Nanos()));
      html.text(" · p99 " + Format.nanos(latency.p99Nanos()));
    }
    if (latency.negatives() > 0) {
      html.text(
          " · "
              + Format.number(latency.negatives(), "sample", "samples")
              + " below zero, not drawn: the clocks differ");
    }
    html.close().closeLine();
  }

  /** The points of every curve, for a spreadsheet. */
  static String csv(List<Entry> entries) {
    StringBuilder csv = new StringBuilder("row,label,latency,percentile,nanos\n");
    for (Entry entry : entries) {
      csv(csv, entry, "send", entry.row().latencies().send());
      csv(csv, entry, "response", OpenLoop.response(entry.row()));
      csv(csv, entry, "lateness", OpenLoop.lateness(entry.row()));
      csv(csv, entry, "processing", entry.row().latencies().processing());
    }
    return csv.toString();
  }

  private static void csv(StringBuilder csv, Entry entry, String kind, @Nullable Latency latency) {
    if (latency == null) {
      return;
    }
    for (Latency.Point point : latency.curve()) {
      csv.append(entry.number()).append(',').append(Csv.cell(entry.label())).append(',');
      csv.append(kind).append(',');
      csv.append(String.format(Locale.ENGLISH, "%.6f", point.percentile())).append(',');
      csv.append(point.nanos()).append('\n');
    }
  }
}
