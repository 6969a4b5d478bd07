package org.mqproof.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The top of the page: who is fastest, is it safe, how sure are we. Stateless, thread-safe.
 *
 * <p>Only proven rows can be fastest, and only among rows that promise the same: a rate without
 * proof is no rate, and waiting for copies costs time that not waiting saves.
 */
final class Summary {

  /** Fastest by slowest iteration of a row from which it is called noise; a convention. */
  private static final double NOISE = 1.5;

  private Summary() {}

  static void write(Html html, Environment environment, List<Entry> entries) {
    for (String finding : Findings.of(entries.stream().map(Entry::row).toList())) {
      html.element("p", finding, "class", "finding user");
    }
    html.open("section", "class", "answers", "aria-label", "Summary");
    fastest(html, entries);
    safe(html, entries);
    sure(html, environment, entries);
    html.closeLine();
  }

  private static void fastest(Html html, List<Entry> entries) {
    html.open("div", "class", "card wide").element("h2", "Who is fastest?");
    Map<String, List<Entry>> classes = new LinkedHashMap<>();
    for (Entry entry : Entry.strongestFirst(entries)) {
      if (Mark.of(entry.row()).kind() != Mark.Kind.DO_NOT_QUOTE) {
        String like =
            entry.row().load().benchmark()
                + asked(entry.row())
                + " · "
                + Words.promise(entry.row());
        classes.computeIfAbsent(like, c -> new ArrayList<>()).add(entry);
      }
    }
    if (classes.isEmpty()) {
      boolean proven = !with(entries, Standing.PROVEN).isEmpty();
      html.element(
          "p",
          "No row " + (proven ? "may be quoted" : "is proven") + ", so none is called fastest.",
          "class",
          "big");
    }
    classes.forEach((like, rivals) -> winner(html, like, rivals));
    html.closeLine();
  }

  /** Rows of an open loop compete only at the same rate, and by their latencies. */
  private static String asked(Row row) {
    OpenLoop openLoop = row.latencies().openLoop();
    return openLoop == null
        ? ""
        : " · asked for "
            + Format.rate(openLoop.messagesPerSecond())
            + " msgs/s, "
            + openLoop.arrivals();
  }

  private static void winner(Html html, String like, List<Entry> rivals) {
    boolean byLatency = rivals.get(0).row().latencies().openLoop() != null;
    List<Entry> ranked = rivals.stream().sorted(byLatency ? byResponse() : byRate()).toList();
    Entry best = ranked.get(0);
    html.open("div", "class", "winner");
    html.element("p", like, "class", "kicker");
    html.open("p", "class", "big");
    html.element("span", byLatency ? response(best) : Format.rate(best.row().headline().median()));
    html.element("small", byLatency ? " p99 of the response time " : " msgs/s ").close();
    html.open("p").element("a", best.label(), "href", "#" + best.id());
    html.text(" ").element("span", Words.badge(best.row()), "class", "badge proven");
    Words.mark(html.text(" "), best.row());
    Words.doubts(best.row())
        .forEach(doubt -> html.text(" ").element("span", "⚠ " + doubt, "class", "badge doubt"));
    html.close();
    html.element("p", byLatency ? leadByResponse(ranked) : lead(ranked), "class", "soft")
        .closeLine();
  }

  static Comparator<Entry> byRate() {
    return Comparator.comparingDouble(e -> -e.row().headline().median());
  }

  private static Comparator<Entry> byResponse() {
    return Comparator.comparingDouble(
        entry -> {
          Latency response = OpenLoop.response(entry.row());
          return response == null ? Double.MAX_VALUE : response.p99Nanos();
        });
  }

  private static String response(Entry entry) {
    Latency response = OpenLoop.response(entry.row());
    return response == null ? "no" : Format.nanos(response.p99Nanos());
  }

  private static String leadByResponse(List<Entry> ranked) {
    return ranked.size() == 1
        ? "Nothing comparable is proven at this rate."
        : "Next is " + ranked.get(1).label() + ", " + response(ranked.get(1)) + ".";
  }

  private static String lead(List<Entry> ranked) {
    Throughput best = ranked.get(0).row().headline();
    String own = Words.range(best);
    if (ranked.size() == 1) {
      return own + "; nothing comparable is proven.";
    }
    Entry next = ranked.get(1);
    Throughput second = next.row().headline();
    Interval ours = best.interval();
    Interval theirs = second.interval();
    if (ours == null || theirs == null) {
      return own
          + "; next is "
          + next.label()
          + ". No ranking: that takes "
          + Interval.LEAST_FORKS
          + " forks of each.";
    }
    if (ours.overlaps(theirs)) {
      return own + "; no difference shown to " + next.label() + ": the intervals overlap.";
    }
    return own
        + "; "
        + Format.threeDigits(best.median() / second.median())
        + " times the next, "
        + next.label()
        + ".";
  }

  private static void safe(Html html, List<Entry> entries) {
    List<Entry> voided = with(entries, Standing.VOID);
    List<Entry> unverified = with(entries, Standing.UNVERIFIED);
    int proven = entries.size() - voided.size() - unverified.size();
    String state = !voided.isEmpty() ? "void" : unverified.isEmpty() ? "proven" : "unverified";
    html.open("div", "class", "card " + state).element("h2", "Is it safe?");
    html.open("p", "class", "big").text(Format.count(proven) + " of " + entries.size());
    html.element("small", (entries.size() == 1 ? " row" : " rows") + " proven").close();
    if (proven > 0) {
      long confirmed =
          with(entries, Standing.PROVEN).stream().mapToLong(e -> confirmed(e.row())).sum();
      html.element(
          "p",
          "✓ Nothing lost, corrupt or invented among "
              + Format.count(confirmed)
              + " confirmed messages.");
    }
    for (Entry entry : voided) {
      html.open("p", "class", "void-text").text(Words.badge(entry.row()) + ": ");
      html.element("a", name(entry), "href", "#" + entry.id());
      html.text(". Its numbers are void.").close();
    }
    for (Entry entry : unverified) {
      html.open("p").text("? Not verified: ").element("a", name(entry), "href", "#" + entry.id());
      html.text(" (" + Words.grounds(entry.row()) + ").").close();
    }
    html.closeLine();
  }

  private static long confirmed(Row row) {
    return row.proof().verdict() == null ? 0 : row.proof().verdict().confirmed();
  }

  private static String name(Entry entry) {
    return entry.row().load().benchmark() + ", " + entry.label();
  }

  private static List<Entry> with(List<Entry> entries, Standing standing) {
    return entries.stream().filter(e -> e.row().standing() == standing).toList();
  }

  private static void sure(Html html, Environment environment, List<Entry> entries) {
    html.open("div", "class", "card").element("h2", "May I quote it?");
    quotable(html, entries);
    List<Throughput> rates =
        entries.stream()
            .filter(entry -> entry.row().standing() != Standing.VOID)
            .map(entry -> entry.row().headline())
            .toList();
    if (!rates.isEmpty()) {
      spread(html, rates, quotable(entries) == entries.size());
    }
    doubts(html, entries);
    html.element("p", environment.setup(), "class", "user");
    html.element(
        "p",
        environment.cpuModel()
            + ", "
            + Format.number(environment.cores(), "core", "cores")
            + ", "
            + Format.bytes((double) environment.memoryBytes())
            + ".",
        "class",
        "soft user");
    html.closeLine();
  }

  private static void quotable(Html html, List<Entry> entries) {
    html.open("p", "class", "big").text(Format.count(quotable(entries)) + " of " + entries.size());
    html.element("small", entries.size() == 1 ? " row" : " rows").close();
    for (Entry entry : entries) {
      Mark mark = Mark.of(entry.row());
      if (mark.kind() != Mark.Kind.QUOTE) {
        html.open("p", "class", "soft").element("a", name(entry), "href", "#" + entry.id());
        html.text(": " + mark.sentence() + ".").close();
      }
    }
  }

  private static long quotable(List<Entry> entries) {
    return entries.stream().filter(e -> Mark.of(e.row()).kind() == Mark.Kind.QUOTE).count();
  }

  private static void doubts(Html html, List<Entry> entries) {
    List<Row> rows =
        entries.stream().map(Entry::row).filter(row -> row.standing() != Standing.VOID).toList();
    for (SelfCheck.Kind kind : SelfCheck.Kind.values()) {
      int many =
          (int)
              rows.stream()
                  .filter(row -> row.doubts().stream().anyMatch(doubt -> doubt.kind() == kind))
                  .count();
      if (many > 0) {
        html.element(
            "p",
            "⚠ " + Format.number(many, "row", "rows") + ": " + Words.doubt(kind),
            "class",
            "doubt-text");
      }
    }
  }

  private static void spread(Html html, List<Throughput> rates, boolean allQuotable) {
    double widest = rates.stream().mapToDouble(Summary::spread).max().orElseThrow();
    boolean stood = Double.isInfinite(widest);
    html.element(
        "p",
        stood
            ? "Stood still in an iteration of one row at least."
            : Format.threeDigits(widest)
                + " times from the slowest iteration of a row to its fastest, at most.");
    if (widest > NOISE && !allQuotable) {
      html.element(
          "p",
          "✗ More than 1.5 times is noise: warm up longer, or run more forks.",
          "class",
          "void-text");
    }
    String forks = range(rates.stream().mapToInt(Throughput::forks));
    String iterations = range(rates.stream().mapToInt(r -> r.iterations().size()));
    html.element(
        "p",
        (forks.equals("1") ? "1 fork" : forks + " forks")
            + (iterations.equals("1") ? ", 1 iteration" : ", " + iterations + " iterations")
            + " per row."
            + (forks.equals("1") ? " How much JVM starts differ was not seen." : ""));
  }

  private static double spread(Throughput rate) {
    return rate.least() > 0 ? rate.most() / rate.least() : Double.POSITIVE_INFINITY;
  }

  static String percent(double share) {
    // 0.999 * 100 is 99.9 only after rounding
    return Math.rint(share * 1e5) / 1e3 + Format.NBSP + "%";
  }

  private static String range(IntStream values) {
    int[] sorted = values.sorted().toArray();
    int low = sorted[0];
    int high = sorted[sorted.length - 1];
    return low == high ? Format.count(low) : Format.count(low) + " to " + Format.count(high);
  }
}
