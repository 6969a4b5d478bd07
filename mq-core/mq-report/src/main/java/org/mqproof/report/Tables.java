package org.mqproof.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/** Every number of every row, and what each row was run with. Stateless, thread-safe. */
final class Tables {

  private static final String NONE = "–";

  private Tables() {}

  static void write(Html html, List<Entry> entries) {
    html.open("section", "id", "numbers").element("h2", "All numbers");
    rates(html, entries);
    latencies(html, entries, "Send latency, per batch", row -> row.latencies().send(), false);
    latencies(
        html,
        entries,
        "Response time of a send, from the moment it was due",
        OpenLoop::response,
        false);
    latencies(
        html,
        entries,
        "Processing latency, per message",
        row -> row.latencies().processing(),
        true);
    latencies(
        html, entries, "How late the generator itself was, per batch", OpenLoop::lateness, false);
    windows(html, entries);
    selfChecks(html, entries);
    html.open("div", "id", "ledger");
    verdicts(html, entries);
    html.close().closeLine();
  }

  private static void rates(Html html, List<Entry> entries) {
    start(
        html,
        "Rates and cost",
        "verdict",
        "quote?",
        "sent msgs/s",
        "least to most",
        "received msgs/s",
        "least to most",
        "acked msgs/s",
        "least to most",
        "MiB/s",
        "CPU µs/msg",
        "heap B/msg",
        "GC ms");
    for (Entry entry : entries) {
      Row row = entry.row();
      label(html, entry);
      cell(html, Words.badge(row), standing(row));
      cell(html, Mark.of(row).kind().words(), "words");
      rate(html, row, row.rates().sent());
      rate(html, row, row.rates().received());
      rate(html, row, row.rates().acked());
      cell(html, Format.threeDigits(row.headline().mebibytesPerSecond()), strike(row));
      cell(html, orNone(row.cost().cpuMicrosPerMessage()), strike(row));
      cell(html, orNone(row.cost().allocatedBytesPerMessage()), strike(row));
      cell(
          html,
          row.cost().gcMillis() == null ? NONE : Format.count(row.cost().gcMillis()),
          strike(row));
      html.closeLine();
    }
    end(html);
  }

  private static void rate(Html html, Row row, @Nullable Throughput rate) {
    if (rate == null) {
      cell(html, NONE, "");
      cell(html, NONE, "");
      return;
    }
    @Nullable String trend = row.trend();
    cell(html, trend == null ? Format.rate(rate.median()) : trend, strike(row));
    cell(html, Words.range(rate), strike(row));
  }

  private static void latencies(
      Html html,
      List<Entry> entries,
      String title,
      Function<Row, @Nullable Latency> kind,
      boolean processing) {
    List<Entry> measured = entries.stream().filter(e -> kind.apply(e.row()) != null).toList();
    if (measured.isEmpty()) {
      return;
    }
    start(
        html,
        title,
        "verdict",
        "samples",
        "mean",
        "p50",
        "p95",
        "p95 in buckets of 50 ms",
        "p99",
        "p99.9",
        "max",
        "below 0");
    for (Entry entry : measured) {
      Row row = entry.row();
      Latency latency = kind.apply(row);
      if (latency == null) {
        continue;
      }
      label(html, entry);
      cell(html, Words.badge(row), standing(row));
      cell(html, Format.count(latency.count()), strike(row));
      if (processing && entry.fellBehind()) {
        html.element(
            "td",
            "receivers fell behind: no steady value (the raw data has the samples)",
            "colspan",
            "7",
            "class",
            "words");
      } else {
        cell(html, Format.nanos(latency.meanNanos()), strike(row));
        cell(html, Format.nanos(latency.p50Nanos()), strike(row));
        cell(html, Format.nanos(latency.p95Nanos()), strike(row));
        Long bucketed = latency.p95BucketedNanos();
        cell(html, bucketed == null ? NONE : Format.nanos(bucketed), strike(row));
        cell(html, Format.nanos(latency.p99Nanos()), strike(row));
        cell(html, Format.nanos(latency.p999Nanos()), strike(row));
        cell(html, Format.nanos(latency.maxNanos()), strike(row));
      }
      cell(html, Format.count(latency.negatives()), latency.negatives() > 0 ? "void-text" : "");
      html.closeLine();
    }
    end(html);
  }

  /** What a percentile of the whole run hides. */
  private static void windows(Html html, List<Entry> entries) {
    if (entries.stream().allMatch(e -> windows(e, row -> row.latencies().send()).isEmpty())) {
      return;
    }
    start(
        html,
        "Tails by window: seconds, and minutes as in 2017",
        "latency",
        "window",
        "windows",
        "p95, median",
        "p95, worst",
        "p99, median",
        "p99, worst");
    for (Entry entry : entries) {
      windows(html, entry, "send", windows(entry, row -> row.latencies().send()));
      windows(html, entry, "response", windows(entry, OpenLoop::response));
      if (!entry.fellBehind()) {
        windows(html, entry, "processing", windows(entry, row -> row.latencies().processing()));
      }
    }
    end(html);
  }

  private static List<Latency.Window> windows(Entry entry, Function<Row, @Nullable Latency> kind) {
    Latency latency = kind.apply(entry.row());
    List<Latency.Window> windows = latency == null ? null : latency.windows();
    return windows == null ? List.of() : windows;
  }

  private static void windows(Html html, Entry entry, String kind, List<Latency.Window> windows) {
    for (Latency.Window window : windows) {
      label(html, entry);
      cell(html, kind, "words");
      cell(html, window.seconds() + " s", "");
      cell(html, Format.count(window.count()), "");
      for (long nanos :
          new long[] {
            window.p95MedianNanos(),
            window.p95WorstNanos(),
            window.p99MedianNanos(),
            window.p99WorstNanos()
          }) {
        cell(html, Format.nanos(nanos), strike(entry.row()));
      }
      html.closeLine();
    }
  }

  private static void selfChecks(Html html, List<Entry> entries) {
    if (entries.stream().allMatch(entry -> entry.row().proof().selfCheck() == null)) {
      return;
    }
    start(
        html,
        "What speaks against a row",
        "in doubt",
        "client's CPU",
        "its busiest thread",
        "its collectors",
        "woken late, p99",
        "taken by the host",
        "some thread waited",
        "of the ceiling",
        "drift",
        "z",
        "seconds");
    for (Entry entry : entries) {
      SelfCheck check = entry.row().proof().selfCheck();
      if (check == null) {
        continue;
      }
      label(html, entry);
      List<String> doubts = Words.doubts(entry.row());
      cell(
          html,
          doubts.isEmpty() ? "nothing found" : "⚠ " + String.join(", ", doubts),
          doubts.isEmpty() ? "" : "doubt-text");
      cell(html, Summary.percent(rounded(check.cpuShare())), "");
      share(html, check.threadShare());
      cell(html, Summary.percent(rounded(check.gcShare())), "");
      Long lag = check.schedulerLagP99Nanos();
      cell(html, lag == null ? NONE : Format.nanos(lag), "");
      share(html, check.stealShare());
      share(html, check.pressureShare());
      share(html, check.ceilingShare());
      Drift drift = check.drift();
      cell(html, drift == null ? NONE : Summary.percent(rounded(drift.change())), "");
      cell(html, drift == null ? NONE : String.format(Locale.ENGLISH, "%.1f", drift.z()), "");
      cell(html, drift == null ? NONE : Format.count(drift.seconds()), "");
      html.closeLine();
    }
    end(html);
  }

  private static void share(Html html, @Nullable Double share) {
    cell(html, share == null ? NONE : Summary.percent(rounded(share)), "");
  }

  private static double rounded(double share) {
    return Math.rint(share * 1000) / 1000;
  }

  private static void verdicts(Html html, List<Entry> entries) {
    start(
        html,
        "What the ledger saw, messages",
        "verdict",
        "attempted",
        "confirmed",
        "rejected",
        "unknown",
        "delivered",
        "acked",
        "lost",
        "unverified",
        "never given to ack",
        "corrupt",
        "unexpected",
        "duplicated",
        "recovered",
        "reordered",
        "after ack",
        "acks in doubt",
        "drained");
    for (Entry entry : entries) {
      Row row = entry.row();
      Verdict verdict = row.proof().verdict();
      label(html, entry);
      cell(html, Words.badge(row), standing(row));
      if (verdict == null) {
        html.element("td", "the ledger was off", "colspan", "17", "class", "words").closeLine();
        continue;
      }
      for (long count :
          new long[] {
            verdict.attempted(),
            verdict.confirmed(),
            verdict.rejected(),
            verdict.unknown(),
            verdict.delivered(),
            verdict.acked()
          }) {
        cell(html, Format.count(count), "");
      }
      for (long count :
          new long[] {
            verdict.lost(),
            verdict.unverified(),
            verdict.acks().neverGiven(),
            verdict.corrupt(),
            verdict.unexpected()
          }) {
        cell(html, Format.count(count), count > 0 ? "void-text" : "");
      }
      for (long count :
          new long[] {
            verdict.duplicated(),
            verdict.recovered(),
            verdict.reordered(),
            verdict.deliveredAfterAck(),
            verdict.acks().inDoubt()
          }) {
        cell(html, Format.count(count), "");
      }
      cell(html, verdict.drained() ? "yes" : "no", verdict.drained() ? "" : "void-text");
      html.closeLine();
    }
    end(html);
  }

  /** What each row was run with, one block per row, and the target of its links. */
  static void details(Html html, List<Entry> entries) {
    html.open("section", "id", "rows").element("h2", "Row by row");
    for (Entry entry : entries) {
      Row row = entry.row();
      html.open("details", "class", "row");
      html.open("summary").element("b", entry.row().load().benchmark()).text(" ");
      html.element("span", entry.label(), "class", "user").text(" ");
      html.element("span", Words.badge(row), "class", "badge " + standing(row)).close();
      // Inside: a browser opens the block when a link leads into it.
      html.open("div", "id", entry.id(), "class", "inside");
      for (String note : row.proof().notes()) {
        html.element("p", note, "class", "note user");
      }
      examples(html, row);
      html.open("div", "class", "facts");
      facts(html, "Run", run(row));
      facts(html, "Parameters", new TreeMap<>(row.load().params()));
      facts(html, "Settings", new TreeMap<>(row.target().settings()));
      facts(html, "What the adapter promises", promises(row.target().traits()));
      html.close().close().closeLine();
    }
    html.closeLine();
  }

  private static void examples(Html html, Row row) {
    Verdict verdict = row.proof().verdict();
    if (verdict == null || verdict.examples().isEmpty()) {
      return;
    }
    html.element("p", "For example:").open("ul", "class", "user");
    verdict.examples().forEach(example -> html.element("li", example));
    html.close();
  }

  private static Map<String, String> run(Row row) {
    Map<String, String> run = new LinkedHashMap<>();
    run.put("system", row.target().system());
    run.put(
        "broker version",
        row.target().brokerVersion().isEmpty() ? NONE : row.target().brokerVersion());
    run.put("broker nodes", Format.count(row.target().nodes()));
    run.put("mode", row.target().mode());
    run.put("sender threads", Format.count(row.load().senders()));
    run.put("receiver threads", Format.count(row.load().receivers()));
    iterations(run, "sent", row.rates().sent());
    iterations(run, "received", row.rates().received());
    iterations(run, "acked", row.rates().acked());
    return run;
  }

  private static void iterations(Map<String, String> run, String what, @Nullable Throughput rate) {
    if (rate == null) {
      return;
    }
    StringBuilder text = new StringBuilder();
    int fork = 0;
    for (Throughput.Iteration iteration : rate.iterations()) {
      text.append(text.length() == 0 ? "" : iteration.fork() == fork ? ", " : "; ");
      if (iteration.fork() != fork) {
        text.append("fork ").append(iteration.fork()).append(": ");
        fork = iteration.fork();
      }
      text.append(Format.rate(iteration.messagesPerSecond()).replace(',', '\u202f'));
    }
    run.put(what + " msgs/s by iteration", text.length() == 0 ? NONE : text.toString());
  }

  private static Map<String, String> promises(DeclaredTraits traits) {
    Map<String, String> promises = new LinkedHashMap<>();
    promises.put("durable", traits.durable() ? "yes: outlives a crash of every broker" : "no");
    promises.put("copies", Format.count(traits.copies()));
    promises.put("replication awaited", traits.replicationAwaited() ? "yes" : "no");
    if (traits.powerCut() != null) {
      promises.put(
          "power cut of all nodes",
          switch (traits.powerCut()) {
            case SURVIVED -> "survives";
            case LOST -> "can lose confirmed messages";
            case NOT_SHOWN -> "not shown";
          });
    }
    Long retention = traits.retentionMillis();
    if (retention != null) {
      promises.put("forgets what nobody took after", millis(retention));
    }
    Long claim = traits.claimPeriodMillis();
    promises.put("claim period", claim == null ? "claims do not expire" : millis(claim));
    promises.put("redelivery after a crash within", millis(traits.redeliveryBoundMillis()));
    promises.put(
        "order",
        switch (traits.ordering()) {
          case NONE -> "none";
          case PER_SENDER -> "per sender";
        });
    promises.put(
        "an ack settles",
        switch (traits.ackMode()) {
          case SELECTIVE -> "on its own";
          case WHOLE_PREFIX -> "when everything before it is acked";
        });
    promises.put("largest body", unbounded(traits.largestBodyBytes(), "bytes"));
    promises.put("most in flight per receiver", unbounded(traits.mostInFlight(), "messages"));
    return promises;
  }

  private static String millis(long millis) {
    return Format.nanos(millis * 1e6);
  }

  private static String unbounded(int most, String unit) {
    return most == Integer.MAX_VALUE ? "no bound declared" : Format.count(most) + " " + unit;
  }

  static void facts(Html html, String title, Map<String, String> facts) {
    html.open("div").element("h4", title);
    if (facts.isEmpty()) {
      html.element("p", "none", "class", "soft").close();
      return;
    }
    html.open("dl");
    facts.forEach((key, value) -> html.element("dt", key).element("dd", value));
    html.close().close();
  }

  /** What a study published, ours beside it, and why the two are not the same experiment. */
  static void published(Html html, Published published, List<Entry> entries) {
    html.open("section", "id", "published").element("h2", "Beside the published figures");
    html.element("p", published.study(), "class", "soft user");
    if (published.figures().isEmpty()) {
      html.element("p", "The study published no figure for what was run here.", "class", "soft");
    } else {
      start(
          html,
          "Published, ours, ratio",
          "figure of the study",
          "published",
          "ours",
          "ours by its own method",
          "ratio",
          "our verdict");
      for (Published.Figure figure : published.figures()) {
        Entry entry = entries.get(figure.row() - 1);
        boolean counts = entry.row().standing() != Standing.VOID;
        Double same = figure.ours2017();
        label(html, entry);
        cell(html, figure.name() + ": " + figure.figure(), "words");
        cell(html, Format.threeDigits(figure.published()), "");
        cell(html, Format.threeDigits(figure.ours()), strike(entry.row()));
        cell(html, same == null ? NONE : Format.threeDigits(same), strike(entry.row()));
        cell(html, counts ? Format.threeDigits(figure.ratio()) : NONE, "");
        cell(html, Words.badge(entry.row()), standing(entry.row()));
        html.closeLine();
      }
      end(html);
    }
    html.element("h3", "Not as in the study");
    html.open("ul");
    published.differences().forEach(difference -> html.element("li", difference));
    html.close();
    html.element(
        "p",
        "A ratio says how two machines, years of hardware, versions and the differences above"
            + " act together, and nothing of any one of them.",
        "class",
        "soft");
    html.closeLine();
  }

  /** What the round trip does to a rate, and what would help. */
  static void roundTrips(Html html, List<RoundTripFit> fits) {
    if (fits.isEmpty()) {
      return;
    }
    html.open("section", "id", "round-trips").element("h2", "Far from the broker");
    html.element("p", RoundTripFit.MODEL + ", over all round trips of a row", "class", "soft");
    start(
        html,
        "What bounds the rate over the longest round trip",
        "capacity, msgs/s",
        "window, messages",
        "misfit, at most",
        "bound by");
    for (RoundTripFit fit : fits) {
      html.open("tr").element("th", fit.name(), "scope", "row", "class", "user");
      cell(html, Format.rate(fit.capacity()), "");
      cell(html, Format.threeDigits(fit.window()), "");
      cell(html, "× " + Format.threeDigits(fit.misfit()), "");
      cell(html, fit.bound(), "words");
      html.closeLine();
    }
    end(html);
    html.closeLine();
  }

  private static void start(Html html, String title, String... columns) {
    html.element("h3", title);
    html.open("div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", title);
    html.open("table").open("thead").open("tr").element("th", "row", "scope", "col");
    for (String column : columns) {
      html.element("th", column, "scope", "col");
    }
    html.close().close().open("tbody");
  }

  private static void label(Html html, Entry entry) {
    html.open("tr").open("th", "scope", "row", "class", "user");
    html.element("small", entry.row().load().benchmark()).leaf("br");
    html.element("a", entry.label(), "href", "#" + entry.id()).close();
  }

  private static void cell(Html html, String text, String style) {
    if (style.equals("strike")) {
      html.open("td").element("s", text).close();
    } else if (style.isEmpty()) {
      html.element("td", text);
    } else {
      html.element("td", text, "class", style);
    }
  }

  private static void end(Html html) {
    html.close().close().closeLine();
  }

  private static String strike(Row row) {
    return row.standing() == Standing.VOID ? "strike" : "";
  }

  private static String standing(Row row) {
    return row.standing().name().toLowerCase(Locale.ROOT);
  }

  private static String orNone(@Nullable Double value) {
    return value == null ? NONE : Format.threeDigits(value);
  }
}
