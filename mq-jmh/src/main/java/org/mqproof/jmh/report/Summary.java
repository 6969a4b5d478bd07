package org.mqproof.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * The top of the page: who is fastest, is it safe, how sure are we. Stateless, thread-safe.
 *
 * <p>Only proven rows can be fastest, and only among rows that promise the same: a rate without
 * proof is no rate, and waiting for copies costs time that not waiting saves.
 */
final class Summary {

  /** Relative error from which a rate is too rough to rank by; a convention, not a measurement. */
  private static final double NOISE = 0.1;

  private Summary() {}

  static void write(Html html, Environment environment, List<Entry> entries) {
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
      if (entry.row().standing() == Standing.PROVEN) {
        String like = entry.row().benchmark() + " · " + Words.promise(entry.row());
        classes.computeIfAbsent(like, c -> new ArrayList<>()).add(entry);
      }
    }
    if (classes.isEmpty()) {
      html.element("p", "No row is proven, so none is called fastest.", "class", "big");
    }
    classes.forEach((like, rivals) -> winner(html, like, rivals));
    html.closeLine();
  }

  private static void winner(Html html, String like, List<Entry> rivals) {
    List<Entry> ranked = rivals.stream().sorted(byRate()).toList();
    Entry best = ranked.get(0);
    Throughput rate = best.row().headline();
    html.open("div", "class", "winner");
    html.element("p", like, "class", "kicker");
    html.open("p", "class", "big").element("span", Format.rate(rate.messagesPerSecond()));
    html.element("small", " msgs/s ").close();
    html.open("p").element("a", best.label(), "href", "#" + best.id());
    html.text(" ").element("span", Words.badge(best.row()), "class", "badge proven");
    Words.doubts(best.row())
        .forEach(doubt -> html.text(" ").element("span", "⚠ " + doubt, "class", "badge doubt"));
    html.close();
    html.element("p", lead(ranked), "class", "soft").closeLine();
  }

  static Comparator<Entry> byRate() {
    return Comparator.comparingDouble(e -> -e.row().headline().messagesPerSecond());
  }

  private static String lead(List<Entry> ranked) {
    Throughput best = ranked.get(0).row().headline();
    Double bestError = best.error();
    String own =
        bestError == null ? "No error bar" : Format.plusMinus(bestError, best.messagesPerSecond());
    if (ranked.size() == 1) {
      return own + "; nothing comparable is proven.";
    }
    Entry next = ranked.get(1);
    Throughput second = next.row().headline();
    Double secondError = second.error();
    if (bestError == null || secondError == null) {
      return own + "; next is " + next.label() + ", but without error bars none is shown faster.";
    }
    double gap = best.messagesPerSecond() - second.messagesPerSecond();
    if (gap <= bestError + secondError) {
      return own + "; no difference shown to " + next.label() + ": the intervals overlap.";
    }
    return own
        + "; "
        + Format.threeDigits(best.messagesPerSecond() / second.messagesPerSecond())
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
    return row.verdict() == null ? 0 : row.verdict().confirmed();
  }

  private static String name(Entry entry) {
    return entry.row().benchmark() + ", " + entry.label();
  }

  private static List<Entry> with(List<Entry> entries, Standing standing) {
    return entries.stream().filter(e -> e.row().standing() == standing).toList();
  }

  private static void sure(Html html, Environment environment, List<Entry> entries) {
    html.open("div", "class", "card").element("h2", "How sure are we?");
    List<Throughput> rates =
        entries.stream()
            .filter(entry -> entry.row().standing() != Standing.VOID)
            .map(entry -> entry.row().headline())
            .toList();
    if (rates.isEmpty()) {
      html.element("p", "Not at all: every row is void.", "class", "big");
    } else {
      error(html, rates);
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

  private static void error(Html html, List<Throughput> rates) {
    double[] errors = rates.stream().flatMapToDouble(Summary::relativeError).sorted().toArray();
    if (errors.length == 0) {
      html.element("p", "No error bars", "class", "big");
    } else {
      html.element("p", spread(errors[0], errors[errors.length - 1]), "class", "big");
      html.element("p", "at " + percent(rates.get(0).confidence()) + " confidence");
      if (errors[errors.length - 1] > NOISE) {
        html.element("p", "✗ More than ± 10 % is noise: run more forks.", "class", "void-text");
      }
    }
    int without = rates.size() - errors.length;
    if (without > 0 && errors.length > 0) {
      html.element("p", Format.number(without, "row has", "rows have") + " no error bar.");
    }
    String forks = range(rates.stream().mapToInt(Throughput::forks));
    String iterations = range(rates.stream().mapToInt(r -> r.iterations().size()));
    html.element(
        "p",
        (forks.equals("1") ? "1 fork" : forks + " forks")
            + (iterations.equals("1") ? ", 1 iteration" : ", " + iterations + " iterations")
            + " per row."
            + (forks.equals("1") ? " The spread between JVM starts is not in the error." : ""));
  }

  private static String spread(double low, double high) {
    String first = Format.plusMinus(low, 1);
    String last = Format.plusMinus(high, 1);
    return first.equals(last) ? first : first + " to" + Format.NBSP + last.substring(2);
  }

  private static DoubleStream relativeError(Throughput rate) {
    Double error = rate.error();
    return error == null || rate.messagesPerSecond() == 0
        ? DoubleStream.empty()
        : DoubleStream.of(error / rate.messagesPerSecond());
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
