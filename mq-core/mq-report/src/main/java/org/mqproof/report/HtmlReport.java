package org.mqproof.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One self-contained HTML page from a run's results: opens offline, on a phone, in the dark and on
 * paper, without a script and without any network request. The same results always give the same
 * page, byte for byte. Stateless, thread-safe.
 */
public final class HtmlReport {

  private HtmlReport() {}

  /**
   * Writes the page, so that a reader sees the old file or the whole new one, never a part.
   *
   * @param file where to; its directory is made if need be
   * @param results what was measured
   * @throws IOException if the file cannot be written
   * @throws IllegalArgumentException if a field is missing, or not a number that can be measured
   */
  public static void write(Path file, Results results) throws IOException {
    ResultsFile.replace(file, render(results));
  }

  static String render(Results results) throws IOException {
    Check.results(results);
    List<Entry> entries = Entry.of(results.rows());
    Environment environment = results.environment();
    String systems =
        results.rows().stream()
            .map(row -> row.target().system())
            .collect(Collectors.toCollection(TreeSet::new))
            .stream()
            .collect(Collectors.joining(", "));
    Html html = new Html();
    html.open("html", "lang", "en");
    head(html, systems);
    html.open("body").open("header");
    html.element(
        "p",
        "MqProof: persistent, replicated message queues, measured and proven",
        "class",
        "kicker");
    html.element("h1", systems.isEmpty() ? "Nothing was measured" : systems);
    html.element("p", environment.setup() + " · " + environment.startedAt(), "class", "soft user")
        .closeLine();
    html.open("main");
    if (!entries.isEmpty()) {
      Summary.write(html, environment, entries);
      shared(html, results.rows());
      RateBars.write(html, entries);
      if (results.published() != null) {
        Tables.published(html, results.published(), entries);
      }
      Tables.roundTrips(html, RoundTripFit.of(results.rows()));
      LoadCurve.write(html, LoadCurve.of(results.rows()));
      CostCurve.write(html, CostCurve.of(results.rows()));
      Curves.write(html, entries);
      Timelines.write(html, entries);
      Tables.write(html, entries);
      Tables.details(html, entries);
    }
    environment(html, environment);
    method(html);
    rawData(html, results, entries);
    html.close().close().close();
    return html.toString();
  }

  private static void head(Html html, String systems) {
    html.open("head").leaf("meta", "charset", "utf-8");
    // The browser itself refuses any request, should a change here ever try to make one.
    html.leaf(
        "meta",
        "http-equiv",
        "Content-Security-Policy",
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    html.leaf("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    html.leaf("meta", "name", "color-scheme", "content", "light dark");
    html.leaf("link", "rel", "icon", "href", "data:,");
    html.element("title", systems.isEmpty() ? "MqProof report" : "MqProof report: " + systems);
    html.style(css()).closeLine();
  }

  private static void shared(Html html, List<Row> rows) {
    Map<String, String> shared = Entry.shared(rows);
    if (!shared.isEmpty() && rows.size() > 1) {
      html.open("p", "class", "soft user").text("The same in every row: ");
      html.text(
          shared.entrySet().stream()
              .map(e -> e.getKey() + " " + e.getValue())
              .collect(Collectors.joining(" · ")));
      html.closeLine();
    }
  }

  private static void environment(Html html, Environment environment) {
    html.open("section", "id", "environment").element("h2", "Where it ran");
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("set-up", environment.setup());
    facts.put("started", environment.startedAt());
    facts.put("CPU", environment.cpuModel());
    facts.put("cores", Format.count(environment.cores()));
    facts.put("memory", Format.bytes((double) environment.memoryBytes()));
    if (environment.disks() != null) {
      facts.put("disks", String.join("; ", environment.disks()));
    }
    facts.put("kernel", environment.kernel());
    facts.put("JDK", environment.jdk());
    facts.put("JVM flags", String.join(" ", environment.jvmFlags()));
    facts.put("MqProof", environment.version() + ", commit " + environment.commit());
    html.open("div", "class", "facts");
    Tables.facts(html, "Machine and software", facts);
    html.close();
    if (environment.brokers() != null) {
      environment.brokers().forEach((system, files) -> configuration(html, system, files));
    }
    html.closeLine();
  }

  private static void configuration(Html html, String system, Map<String, String> files) {
    files.forEach(
        (file, text) -> {
          html.open("details", "class", "row");
          html.open("summary").element("b", system).text(" ");
          html.element("span", file + " of the first node", "class", "user").close();
          html.element("pre", text, "class", "user").closeLine();
        });
  }

  private static void method(Html html) {
    html.open("section", "id", "method").element("h2", "How to read this");
    html.open("dl", "class", "method");
    term(
        html,
        "✓ holds",
        "Every message carried a stamp, and a ledger followed each one. All that were confirmed were"
            + " delivered, byte for byte, and given to ack; nothing came that was not sent, or again"
            + " after its ack, or out of an order that the adapter declares; the queue was drained"
            + " to the end. Delivery is at least once: duplicates are counted, not forbidden.");
    term(
        html,
        "✗ struck out",
        "Messages were lost, corrupt, invented, out of order or delivered after their ack while this"
            + " was measured, or nothing is proven: the drain or the run did not come to its end, or"
            + " nothing was confirmed. The numbers are kept for diagnosis and mean nothing"
            + " else.");
    term(
        html,
        "? not verified",
        "The ledger was off. The numbers may be right; nothing here shows it, so such a row is"
            + " never called fastest.");
    term(
        html,
        "⚠ in doubt",
        "Nothing is wrong with the messages, but something speaks against the number: the client or"
            + " its machine was near its own limit, the rate drifted while it was measured, the"
            + " receivers fell behind, or figures of the row contradict each other.");
    term(
        html,
        "● quote",
        "Proven, steady while it was measured, nothing near its own limit, five forks or more; and the"
            + " 95 % interval of the forks' means ends below 1.5 times where it begins (twice for the"
            + " p99 of an open loop).");
    term(
        html,
        "◐ rough",
        "Proven, and good for an order of magnitude: too few forks, too short, a wide interval, or a"
            + " client near its limit. The reason stands beside it.");
    term(
        html,
        "○ do not quote",
        "Not proven, or the number says something else than it seems to: it rose or fell, the rate"
            + " was not held, receivers fell behind.");
    term(
        html,
        "rate",
        "The median of the measured iterations, with the slowest and the fastest. Rows are ranked"
            + " only by five forks or more each, and only where the 95 % intervals of their forks are"
            + " apart. None of it covers other machines, versions or settings.");
    html.close().closeLine();
  }

  private static void term(Html html, String term, String meaning) {
    html.element("dt", term).element("dd", meaning);
  }

  private static void rawData(Html html, Results results, List<Entry> entries) throws IOException {
    html.open("section", "id", "data").element("h2", "Raw data");
    html.element("p", "Everything on this page, inside this page.", "class", "soft");
    html.open("p", "class", "downloads");
    download(html, "results.json", "application/json", ResultsFile.toJson(results));
    download(html, "rates.csv", "text/csv", RateBars.csv(entries));
    download(html, "percentiles.csv", "text/csv", Curves.csv(entries));
    download(html, "timeline.csv", "text/csv", Timelines.csv(entries));
    html.close().closeLine();
  }

  private static void download(Html html, String name, String type, String data) {
    byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
    String base64 = Base64.getEncoder().encodeToString(bytes);
    html.element(
        "a",
        name + " (" + Format.bytes(bytes.length) + ")",
        "download",
        name,
        "href",
        "data:" + type + ";charset=utf-8;base64," + base64);
    html.text(" ");
  }

  private static String css() {
    try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
      if (in == null) {
        throw new IllegalStateException("report.css is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read report.css from the jar", e);
    }
  }
}
