package org.mqproof.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Throughput: one bar per row with its error, its iterations and its verdict. Stateless,
 * thread-safe.
 */
final class RateBars {

  private RateBars() {}

  static void write(Html html, List<Entry> entries) {
    html.open("section", "id", "throughput").element("h2", "Throughput");
    html.element(
        "p",
        "Bars start at zero. The bracket goes from the slowest iteration to the fastest, each dot is"
            + " one. A void row is struck out and sets no scale.",
        "class",
        "soft");
    Map<String, List<Entry>> groups = new LinkedHashMap<>();
    for (Entry entry : Entry.strongestFirst(entries)) {
      String what = entry.row().rates().received() == null ? "sent" : "received";
      String where =
          entry.row().target().nodes() == 0 ? ", inside the JVM: what the harness can do" : "";
      String group = entry.row().load().benchmark() + ": messages " + what + " per second" + where;
      groups.computeIfAbsent(group, g -> new ArrayList<>()).add(entry);
    }
    groups.forEach(
        (title, group) -> {
          html.element("h3", title).open("ol", "class", "bars");
          double scale = scale(group);
          group.stream()
              .sorted(
                  Comparator.comparing((Entry e) -> e.row().standing())
                      .thenComparing(Summary.byRate()))
              .forEach(entry -> bar(html, entry, scale));
          html.closeLine();
        });
    html.closeLine();
  }

  private static double scale(List<Entry> group) {
    List<Entry> counting = group.stream().filter(e -> e.row().standing() != Standing.VOID).toList();
    double most =
        (counting.isEmpty() ? group : counting)
            .stream().mapToDouble(e -> highest(e.row().headline())).max().orElse(0);
    return most > 0 ? most : 1;
  }

  private static double highest(Throughput rate) {
    return Math.max(rate.median(), rate.most());
  }

  private static void bar(Html html, Entry entry, double scale) {
    Row row = entry.row();
    Throughput rate = row.headline();
    String standing = row.standing().name().toLowerCase(Locale.ROOT);
    boolean grey = Mark.of(row).kind() == Mark.Kind.DO_NOT_QUOTE;
    html.open("li", "class", grey ? standing + " grey" : standing).open("div", "class", "head");
    html.open("span", "class", "label user");
    html.element("a", entry.label(), "href", "#" + entry.id()).close();
    html.open("span", "class", "value");
    number(html, row, rate);
    html.text(" ").element("span", Words.badge(row), "class", "badge " + standing);
    Words.mark(html.text(" "), row);
    Words.doubts(row)
        .forEach(doubt -> html.text(" ").element("span", "⚠ " + doubt, "class", "badge doubt"));
    html.close().close();
    drawing(html, entry, scale);
    html.element("p", facts(entry), "class", "soft");
    row.proof().notes().forEach(note -> html.element("p", note, "class", "note user"));
    row.doubts().forEach(doubt -> html.element("p", "⚠ " + doubt.sentence(), "class", "note user"));
    html.closeLine();
  }

  private static void number(Html html, Row row, Throughput rate) {
    boolean isVoid = row.standing() == Standing.VOID;
    if (isVoid) {
      html.element("span", "struck out: ", "class", "unseen");
    }
    html.open(isVoid ? "s" : "span", "class", "rate");
    @Nullable String trend = row.trend();
    if (trend == null) {
      html.element("b", Format.rate(rate.median()));
      html.element("small", " " + Words.range(rate));
    } else {
      html.element("b", Words.range(rate));
      html.element("small", " " + trend);
    }
    html.close();
  }

  private static void drawing(Html html, Entry entry, double scale) {
    Throughput rate = entry.row().headline();
    html.open("svg", "class", "bar", "aria-hidden", "true");
    html.leaf("rect", "class", "track", "width", "100%", "height", "18");
    html.open(
        "rect",
        "class",
        "fill " + entry.series(),
        "width",
        place(rate.median(), scale),
        "height",
        "18");
    html.element("title", entry.label() + ": " + Words.badge(entry.row()));
    html.close();
    if (rate.iterations().size() > 1) {
      String low = place(rate.least(), scale);
      String high = place(rate.most(), scale);
      html.open("g", "class", "range");
      html.leaf("line", "x1", low, "x2", high, "y1", "9", "y2", "9");
      html.leaf("line", "x1", low, "x2", low, "y1", "4", "y2", "14");
      if (rate.most() <= scale) { // else a void row leaves the scale
        html.leaf("line", "x1", high, "x2", high, "y1", "4", "y2", "14");
      }
      html.close();
    }
    for (Throughput.Iteration iteration : rate.iterations()) {
      if (iteration.messagesPerSecond() > scale) {
        continue; // only a void row can leave the scale; its bar already reaches the end
      }
      html.open(
          "circle",
          "class",
          "dot",
          "cx",
          place(iteration.messagesPerSecond(), scale),
          "cy",
          "23",
          "r",
          "2.5");
      html.element(
          "title",
          "fork "
              + iteration.fork()
              + ": "
              + Format.rate(iteration.messagesPerSecond())
              + " msgs/s");
      html.close();
    }
    html.close();
  }

  private static String place(double value, double scale) {
    double share = Math.min(1, Math.max(0, value / scale));
    return String.format(Locale.ENGLISH, "%.2f%%", 100 * share);
  }

  /** Every iteration of every row, for a spreadsheet. */
  static String csv(List<Entry> entries) {
    StringBuilder csv = new StringBuilder("row,label,verdict,rate,fork,msgs_per_s\n");
    for (Entry entry : entries) {
      csv(csv, entry, "sent", entry.row().rates().sent());
      csv(csv, entry, "received", entry.row().rates().received());
      csv(csv, entry, "acked", entry.row().rates().acked());
    }
    return csv.toString();
  }

  private static void csv(StringBuilder csv, Entry entry, String what, @Nullable Throughput rate) {
    if (rate == null) {
      return;
    }
    for (Throughput.Iteration iteration : rate.iterations()) {
      csv.append(entry.number()).append(',').append(Csv.cell(entry.label())).append(',');
      csv.append(entry.row().standing()).append(',').append(what).append(',');
      csv.append(iteration.fork()).append(',');
      csv.append(String.format(Locale.ENGLISH, "%.3f%n", iteration.messagesPerSecond()));
    }
  }

  private static String facts(Entry entry) {
    Row row = entry.row();
    List<String> facts = new ArrayList<>();
    facts.add(Words.grounds(row));
    facts.add(Words.promise(row));
    if (row.rates().sent() != null && row.rates().received() != null) {
      facts.add("sent " + Format.rate(row.rates().sent().median()) + " msgs/s");
    }
    facts.add(Format.threeDigits(row.headline().mebibytesPerSecond()) + " MiB/s");
    if (row.latencies().send() != null) {
      facts.add("send p99 " + Format.nanos(row.latencies().send().p99Nanos()));
    }
    if (entry.fellBehind()) {
      facts.add("receivers fell behind");
    } else if (row.latencies().processing() != null) {
      facts.add("processing p99 " + Format.nanos(row.latencies().processing().p99Nanos()));
    }
    return String.join(" · ", facts);
  }
}
