package org.mqproof.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rate, tail latency and backlog per second: small plots, one set per row. */
final class Timelines {

  private static final int MOST_SPOTS = 240; // a tooltip per second would make long runs heavy

  private Timelines() {}

  static void write(Html html, List<Entry> entries) {
    html.open("section", "id", "timeline").element("h2", "Second by second");
    List<Entry> recorded = entries.stream().filter(e -> !e.row().timeline().isEmpty()).toList();
    if (recorded.isEmpty()) {
      html.element("p", "No timeline was recorded.", "class", "soft").closeLine();
      return;
    }
    html.open("p", "class", "soft keyline");
    key(html, "line c0 under", "sent").text("  ");
    key(html, "line c1", "received").text("  ");
    html.text("Shaded: warm-up and drain, not part of any number. A new fork starts at a line.");
    html.close();
    html.open("div", "class", "plots");
    recorded.forEach(entry -> row(html, entry));
    html.close().closeLine();
  }

  static Html key(Html html, String style, String name) {
    html.open("svg", "class", "key", "aria-hidden", "true", "viewBox", "0 0 28 8");
    html.leaf("path", "class", style, "d", "M2 4H26").close();
    return html.element("span", name);
  }

  private static void row(Html html, Entry entry) {
    boolean isVoid = entry.row().standing() == Standing.VOID;
    html.open("figure").open("figcaption");
    html.text(entry.row().load().benchmark() + ", ").element(isVoid ? "s" : "span", entry.label());
    if (isVoid) {
      html.text(" ").element("span", Words.badge(entry.row()), "class", "badge void");
    }
    html.close();
    List<Second> seconds = entry.row().timeline();
    rates(html, seconds);
    tails(html, seconds);
    backlog(html, seconds);
    html.closeLine();
  }

  private static void rates(Html html, List<Second> seconds) {
    double most = 0;
    for (Second second : seconds) {
      most = Math.max(most, (double) Math.max(second.sent(), second.received()));
    }
    Plot plot = plot("Messages per second", seconds, Scale.linear(most, Format::shortCount));
    boolean received = seconds.stream().anyMatch(s -> s.received() > 0);
    if (seconds.stream().anyMatch(s -> s.sent() > 0)) {
      plot.line(
          received ? "c0 under" : "c0", "sent per second", series(seconds, s -> (double) s.sent()));
    }
    if (received) {
      plot.line("c1", "received per second", series(seconds, s -> (double) s.received()));
    }
    finish(html, plot, seconds);
  }

  private static void tails(Html html, List<Second> seconds) {
    double min = Double.MAX_VALUE;
    double max = 0;
    for (Second second : seconds) {
      for (double nanos :
          new double[] {tail(second.sendP99Nanos()), tail(second.processingP99Nanos())}) {
        if (!Double.isNaN(nanos)) {
          min = Math.min(min, nanos);
          max = Math.max(max, nanos);
        }
      }
    }
    if (max == 0) {
      return;
    }
    Plot plot = plot("p99 latency per second", seconds, Scale.log(min, max, Format::tick));
    plot.line("c0", "send p99", series(seconds, s -> tail(s.sendP99Nanos())));
    plot.line("c1", "processing p99", series(seconds, s -> tail(s.processingP99Nanos())));
    finish(html, plot, seconds);
  }

  private static void backlog(Html html, List<Second> seconds) {
    double most = 0;
    for (Second second : seconds) {
      most = Math.max(most, size(second.backlog()));
    }
    if (most > 0) {
      Plot plot = plot("Backlog, messages", seconds, Scale.linear(most, Format::shortCount));
      plot.line(
          "c2",
          "backlog",
          series(seconds, s -> s.backlog() == null ? Double.NaN : size(s.backlog())));
      finish(html, plot, seconds);
    }
  }

  private static double size(@Nullable Long backlog) {
    return backlog == null ? 0 : (double) Math.max(0, backlog);
  }

  /** A tail that a logarithmic axis can show: NaN where there is none, or the clocks differ. */
  private static double tail(@Nullable Long nanos) {
    return nanos == null || nanos <= 0 ? Double.NaN : (double) nanos;
  }

  private static Plot plot(String title, List<Second> seconds, Scale y) {
    Plot plot = new Plot(title, Scale.seconds(seconds.size()), y);
    int from = 0;
    for (int i = 1; i <= seconds.size(); i++) {
      boolean ends =
          i == seconds.size() || seconds.get(i).measured() != seconds.get(from).measured();
      if (ends) {
        if (!seconds.get(from).measured()) {
          plot.band(from, i, "unmeasured", "not measured");
        }
        from = i;
      }
      if (i < seconds.size() && seconds.get(i).fork() != seconds.get(i - 1).fork()) {
        plot.band(i, i + 0.002 * seconds.size(), "fork", "fork " + seconds.get(i).fork());
      }
    }
    return plot;
  }

  /** In the middle of each second; broken between forks. */
  private static List<double[]> series(List<Second> seconds, Function<Second, Double> value) {
    List<double[]> points = new ArrayList<>();
    for (int i = 0; i < seconds.size(); i++) {
      if (i > 0 && seconds.get(i).fork() != seconds.get(i - 1).fork()) {
        points.add(new double[] {i, Double.NaN});
      }
      points.add(new double[] {i + 0.5, value.apply(seconds.get(i))});
    }
    return points;
  }

  private static void finish(Html html, Plot plot, List<Second> seconds) {
    int step = (seconds.size() + MOST_SPOTS - 1) / MOST_SPOTS;
    for (int i = 0; i < seconds.size(); i += step) {
      plot.column(i, i + step, told(seconds.get(i)));
    }
    plot.write(html);
  }

  private static String told(Second second) {
    StringBuilder text = new StringBuilder();
    text.append("fork ").append(second.fork()).append(", second ").append(second.second());
    text.append(second.measured() ? "" : " (not measured)");
    text.append(": sent ").append(Format.count(second.sent()));
    text.append(", received ").append(Format.count(second.received()));
    if (second.sendP99Nanos() != null) {
      text.append(", send p99 ").append(Format.nanos(second.sendP99Nanos()));
    }
    if (second.processingP99Nanos() != null) {
      text.append(", processing p99 ").append(Format.nanos(second.processingP99Nanos()));
    }
    if (second.backlog() != null) {
      text.append(", backlog ").append(Format.count(second.backlog()));
    }
    return text.toString();
  }

  /** Every second of every row, for a spreadsheet. */
  static String csv(List<Entry> entries) {
    StringBuilder csv =
        new StringBuilder(
            "row,label,fork,second,measured,sent,received,send_p99_nanos,processing_p99_nanos,"
                + "backlog\n");
    for (Entry entry : entries) {
      for (Second second : entry.row().timeline()) {
        csv.append(entry.number()).append(',').append(Csv.cell(entry.label())).append(',');
        csv.append(second.fork()).append(',').append(second.second()).append(',');
        csv.append(second.measured()).append(',').append(second.sent()).append(',');
        csv.append(second.received()).append(',').append(orEmpty(second.sendP99Nanos()));
        csv.append(',').append(orEmpty(second.processingP99Nanos())).append(',');
        csv.append(orEmpty(second.backlog())).append('\n');
      }
    }
    return csv.toString();
  }

  private static String orEmpty(@Nullable Long value) {
    return value == null ? "" : value.toString();
  }
}
