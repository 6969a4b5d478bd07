package org.mqproof.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Attr;
import org.w3c.dom.Element;

/** The page is also well-formed XML, so that its structure can be asked and not guessed. */
final class HtmlReportTest {

  static Map<String, Results> samples() {
    return Map.of(
        "round-trips", SampleResults.roundTrips(),
        "rates", SampleResults.rates(),
        "kafka", SampleResults.kafka(),
        "one-row", SampleResults.oneRow(),
        "many", SampleResults.many(),
        "nasty", SampleResults.nasty(),
        "bare", SampleResults.bare(),
        "empty", new Results(SampleResults.environment(), List.of()));
  }

  static List<Results> all() {
    return List.copyOf(samples().values());
  }

  @Test
  void samplesToLookAt() throws IOException {
    for (Map.Entry<String, Results> sample : samples().entrySet()) {
      Path file = Path.of("target", "report-samples", sample.getKey() + ".html");
      HtmlReport.write(file, sample.getValue());
      assertThat(file).hasContent(HtmlReport.render(sample.getValue()));
    }
  }

  @Test
  void whatBoundsTheLongestRoundTripIsNamed() throws IOException {
    assertThat(Page.of(SampleResults.roundTrips()).section("round-trips").whole())
        .contains("acks that are awaited (10 messages; the window is 1.00 of it)");
    assertThat(HtmlReport.render(SampleResults.kafka())).doesNotContain("round-trips");
  }

  @Test
  void latencyIsDrawnAgainstTheRatesThatWereOffered() throws IOException {
    assertThat(Page.of(SampleResults.rates()).section("load").whole())
        .contains("kafka acks=all, 1+1 threads: the knee is between 2,000 and 5,000 msgs/s")
        .contains("10,000 msgs/s: p99.9 ");
    assertThat(HtmlReport.render(SampleResults.kafka())).doesNotContain("Latency against load");
  }

  @Test
  void theSameResultsGiveTheSamePage() throws IOException {
    assertThat(HtmlReport.render(SampleResults.many()))
        .isEqualTo(HtmlReport.render(SampleResults.many()));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nothingIsFetchedAndNothingRuns(Results results) throws IOException {
    Page page = Page.of(results);
    for (Element element : page.elements(e -> true)) {
      assertThat(element.getTagName())
          .isNotIn("script", "iframe", "img", "object", "embed", "base", "form", "audio", "video");
      for (int i = 0; i < element.getAttributes().getLength(); i++) {
        Attr attribute = (Attr) element.getAttributes().item(i);
        String name = attribute.getName().toLowerCase(Locale.ROOT);
        assertThat(name).doesNotStartWith("on").isNotIn("src", "srcset", "action", "poster");
        if (name.contains("href")) {
          assertThat(attribute.getValue()).matches("(?s)#row-\\d+|data:.*");
        }
        assertThat(attribute.getValue().toLowerCase(Locale.ROOT)).doesNotContain("url(");
      }
    }
    String css = page.elements(e -> e.getTagName().equals("style")).get(0).getTextContent();
    assertThat(css).doesNotContain("url(").doesNotContain("@import").doesNotContain("//");
    assertThat(page.elements(e -> e.hasAttribute("http-equiv"))).hasSize(1); // no refresh
    assertThat(
            page.elements(e -> e.getAttribute("http-equiv").equals("Content-Security-Policy"))
                .get(0)
                .getAttribute("content"))
        .startsWith("default-src 'none';");
  }

  @Test
  void textIsNeverMarkup() throws IOException {
    String html = HtmlReport.render(SampleResults.nasty());
    assertThat(html).doesNotContain("<script").doesNotContain("<img").doesNotContain("\u202e");
    Page page = Page.of(SampleResults.nasty());
    // as a parameter, a setting's key, its value, and a note
    assertThat(page.text(e -> e.getTagName().equals("dd"))).contains(SampleResults.NASTY);
    assertThat(page.text(e -> e.getTagName().equals("dt"))).contains(SampleResults.NASTY);
    assertThat(page.text(e -> e.getAttribute("class").startsWith("note")))
        .contains(SampleResults.NASTY);
    assertThat(page.text(e -> e.getTagName().equals("dd")))
        .contains("a\ufffdb\ufffd[31m\ufffdc\ufffdgnol");
  }

  @ParameterizedTest
  @MethodSource("all")
  void idsAreUniqueAndLinksLead(Results results) throws IOException {
    Page page = Page.of(results);
    Set<String> ids = new HashSet<>();
    for (Element element : page.elements(e -> e.hasAttribute("id"))) {
      assertThat(ids.add(element.getAttribute("id"))).as(element.getAttribute("id")).isTrue();
    }
    for (Element link : page.elements(e -> e.getAttribute("href").startsWith("#"))) {
      assertThat(ids).contains(link.getAttribute("href").substring(1));
    }
  }

  @Test
  void everyRowIsInEveryPart() throws IOException {
    Page page = Page.of(SampleResults.many());
    for (Entry entry : Entry.of(SampleResults.many().rows())) {
      String row = entry.row().load().benchmark() + " " + entry.label();
      assertThat(page.section("throughput").text(Page.tag("a"))).contains(entry.label());
      assertThat(page.section("throughput").text(Page.tag("b")))
          .contains(Format.rate(entry.row().headline().median()));
      assertThat(page.section("timeline").whole())
          .contains(entry.row().load().benchmark() + ", " + entry.label());
      assertThat(page.section("latency").whole()).contains(entry.label());
      assertThat(page.section("ledger").text(Page.tag("th")))
          .contains(entry.row().load().benchmark() + entry.label());
      assertThat(page.section("rows").text(Page.tag("summary")))
          .contains(row + " " + Words.badge(entry.row()));
    }
    assertThat(page.section("throughput").elements(Page.tag("li"))).hasSize(12);
  }

  @Test
  void aVoidRowIsStruckOutWhereverItsNumbersAre() throws IOException {
    Results results = SampleResults.many();
    String html = HtmlReport.render(results);
    for (Row row : results.rows()) {
      if (row.standing() != Standing.VOID) {
        continue;
      }
      String rate = Format.rate(row.headline().median());
      assertThat(html).contains("<b>" + rate + "</b>");
      assertThat(withoutStruck(html)).doesNotContain(">" + rate + "<");
      Latency latency = requireNonNull(row.latencies().processing());
      assertThat(withoutStruck(html)).doesNotContain(">" + Format.count(latency.count()) + "<");
    }
    // and what is not void is not struck out
    assertThat(withoutStruck(html))
        .contains("<b>" + Format.rate(results.rows().get(0).headline().median()) + "</b>");
  }

  private static String withoutStruck(String html) {
    return Pattern.compile("<s( [^>]*)?>.*?</s>").matcher(html).replaceAll("");
  }

  @Test
  void lossesStandBesideTheNumber() throws IOException {
    Page page = Page.of(SampleResults.many()).section("throughput");
    List<String> badges = page.text(e -> e.getAttribute("class").equals("badge void"));
    assertThat(badges)
        .containsExactlyInAnyOrder(
            "✗ broken: 312 lost (312 lost writes)",
            "✗ not proven: not drained, 4,711 unverified",
            "✗ failed");
    assertThat(page.text(e -> e.getAttribute("class").equals("badge unverified")))
        .containsExactly("? not verified");
    assertThat(page.text(e -> e.getAttribute("class").equals("badge proven"))).hasSize(8);
  }

  @Test
  void onlyAProvenRowIsFastest() throws IOException {
    Row lossy = SampleResults.row("FlowBenchmark", "a", "", "1", 900, 1).lost(1).build();
    Row unverified = SampleResults.row("FlowBenchmark", "b", "", "1", 800, 1).unverified().build();
    Row failed = SampleResults.row("FlowBenchmark", "c", "", "1", 700, 1).failed("x").build();
    Row proven = SampleResults.row("FlowBenchmark", "d", "", "1", 100, 1).build();
    assertThat(fastest(lossy, unverified, failed, proven)).containsExactly("d");
    assertThat(fastest(lossy, unverified, failed)).isEmpty();
    assertThat(answers(lossy, unverified, failed)).contains("No row is proven");
  }

  @Test
  void rowsThatPromiseLessDoNotCompete() throws IOException {
    Row weak = SampleResults.row("FlowBenchmark", "weak", "", "1", 900, 1).weak().build();
    Row memory = SampleResults.row("FlowBenchmark", "memory", "", "1", 9000, 1).inJvm().build();
    Row safe = SampleResults.row("FlowBenchmark", "safe", "", "1", 100, 1).build();
    assertThat(fastest(memory, weak, safe)).containsExactly("safe", "weak", "memory");
  }

  @Test
  void aLeadIsClaimedOnlyWhereFiveForksEachAreApart() throws IOException {
    Row first = forks("first", 295, 298, 300, 302, 305);
    Row close = forks("close", 200, 230, 250, 280, 350);
    Row apart = forks("apart", 245, 248, 250, 252, 255);
    Row few = forks("few", 249, 250, 250, 251);
    assertThat(answers(first, close))
        .contains("no difference shown to close: the intervals overlap");
    assertThat(answers(first, apart)).contains("1.20 times the next, apart.");
    assertThat(answers(first, few))
        .contains("next is few. No ranking: that takes 5 forks of each.")
        .doesNotContain("times the next");
  }

  private static Row forks(String system, double... rates) {
    return SampleResults.row("F", system, "", "1", 300, 1).forks(rates).build();
  }

  @Test
  void openLoopsAreRankedByTheirLatenciesAndOnlyAtTheSameRate() throws IOException {
    Row fast = SampleResults.row("O", "fast", "", "1", 990, 1).openLoop(1_000, 2e6).build();
    Row slow = SampleResults.row("O", "slow", "", "1", 1_010, 1).openLoop(1_000, 4e6).build();
    Row other = SampleResults.row("O", "other", "", "1", 9_000, 1).openLoop(9_000, 9e6).build();

    assertThat(fastest(slow, other, fast)).containsExactly("fast", "other");
    assertThat(answers(slow, other, fast))
        .contains("p99 of the response time")
        .contains("Next is slow, ")
        .doesNotContain("times the next");
  }

  @Test
  void iterationsThatDifferTooMuchAreCalledNoise() throws IOException {
    assertThat(answers(forks("fair", 200, 300))).doesNotContain("noise");
    assertThat(answers(forks("rough", 199, 300), forks("fair", 200, 300))).contains("is noise");
    assertThat(answers(forks("still", 0, 300))).contains("Stood still");
  }

  @Test
  void whatMayBeQuotedIsNoNoise() throws IOException {
    SelfCheck steady =
        new SelfCheck(0.1, 0.4, 0, 1L, 0.0, 0.5, null, new Drift(0.02, 1, 30), List.of());
    Row quote = forks("fair", 100, 160, 125, 125, 125, 125, 125).with(steady);

    assertThat(answers(quote)).contains("1 of 1").doesNotContain("noise");
    assertThat(answers(quote, forks("rough", 199, 300))).contains("1 of 2").contains("is noise");
  }

  @Test
  void theBarIsTheMedianAndTheLineGoesFromTheSlowestToTheFastest() throws IOException {
    Row wild = forks("wild", 100, 300, 400);
    Page page = Page.of(new Results(SampleResults.environment(), List.of(wild)));
    assertThat(page.elements(e -> e.getAttribute("class").startsWith("fill ")))
        .extracting(e -> e.getAttribute("width"))
        .containsExactly("75.00%");
    assertThat(page.section("throughput").elements(Page.tag("line"))).hasSize(3);
    assertThat(page.section("throughput").whole()).contains("300").contains("100 to");
  }

  private static List<String> fastest(Row... rows) throws IOException {
    Page page = Page.of(new Results(SampleResults.environment(), List.of(rows)));
    List<String> winners = new ArrayList<>();
    for (Element winner : page.elements(e -> e.getAttribute("class").equals("winner"))) {
      winners.addAll(new Page(winner).text(Page.tag("a")));
    }
    return winners;
  }

  private static String answers(Row... rows) throws IOException {
    Page page = Page.of(new Results(SampleResults.environment(), List.of(rows)));
    return new Page(page.elements(e -> e.getAttribute("class").equals("answers")).get(0)).whole();
  }

  @Test
  void processingLatencyIsNoNumberWhenReceiversFellBehind() throws IOException {
    Row behind = SampleResults.row("F", "a", "", "1", 300, 1).behind().build();
    Latency latency = requireNonNull(behind.latencies().processing());
    Page page = Page.of(new Results(SampleResults.environment(), List.of(behind)));
    assertThat(page.section("numbers").whole())
        .contains("receivers fell behind")
        .doesNotContain(Format.nanos(latency.p99Nanos()));
    assertThat(page.section("throughput").whole()).contains("receivers fell behind");
    assertThat(page.section("latency").whole())
        .contains("receivers fell behind")
        .doesNotContain("p99 " + Format.nanos(latency.p99Nanos()) + "p");
  }

  @Test
  void whatSpeaksAgainstANumberStandsBesideIt() throws IOException {
    Row sure = SampleResults.row("F", "sure", "", "1", 300, 1).build();
    Row unsure =
        SampleResults.row("F", "unsure", "", "1", 250, 1)
            .doubted(SelfCheck.Kind.UNSTEADY, "it rose by 30 %")
            .build();
    assertThat(answers(sure)).doesNotContain("⚠");
    assertThat(answers(sure, unsure)).contains("⚠ 1 row: not steady");
    Page page = Page.of(new Results(SampleResults.environment(), List.of(sure, unsure)));
    assertThat(page.section("throughput").text(e -> e.getAttribute("class").equals("badge doubt")))
        .containsExactly("⚠ not steady");
    assertThat(page.section("throughput").whole()).contains("⚠ it rose by 30 %");
    assertThat(page.section("numbers").whole()).contains("91").contains("1.21");
  }

  @Test
  void theBrokersConfigurationIsInThePage() throws IOException {
    assertThat(Page.of(SampleResults.kafka()).section("environment").whole())
        .contains("min.insync.replicas=2")
        .contains("nvme0n1: 900 GB");
  }

  @Test
  void aMinuteAndASecondHaveTheirTails() throws IOException {
    assertThat(Page.of(SampleResults.kafka()).section("numbers").whole())
        .contains("Tails by window")
        .contains("p95 in buckets of 50 ms")
        .contains("47.5");
  }

  @Test
  void rowsWithoutLatencyAndTimelineSaySo() throws IOException {
    Page page = Page.of(SampleResults.bare());
    assertThat(page.section("latency").whole()).contains("No latency was measured.");
    assertThat(page.section("timeline").whole()).contains("No timeline was recorded.");
    assertThat(page.section("throughput").whole()).doesNotContain("±");
  }

  @Test
  void samplesBelowZeroAreShownAsCounted() throws IOException {
    assertThat(Page.of(SampleResults.many()).section("latency").whole())
        .contains("17 samples below zero, not drawn: the clocks differ");
  }

  @Test
  void theRawDataIsInThePage() throws IOException {
    Page page = Page.of(SampleResults.many()).section("data");
    Element json = page.elements(e -> e.getAttribute("download").equals("results.json")).get(0);
    assertThat(data(json)).isEqualTo(ResultsFile.toJson(SampleResults.many()));
    Element timeline = page.elements(e -> e.getAttribute("download").equals("timeline.csv")).get(0);
    assertThat(data(timeline).lines()).hasSize(1 + 12 * 60);
    Element curves =
        page.elements(e -> e.getAttribute("download").equals("percentiles.csv")).get(0);
    assertThat(data(curves).lines().skip(1)).allMatch(line -> line.split(",").length == 5);
  }

  private static String data(Element link) {
    String href = link.getAttribute("href");
    byte[] bytes = Base64.getDecoder().decode(href.substring(href.indexOf("base64,") + 7));
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void aCurveEndsWhereItsSamplesDo() throws IOException {
    // 30 samples: nothing is known beyond 1 - 1/30, which is 0.369 of the way to 99.99 %
    Row few = SampleResults.row("F", "few", "", "1", 3.4, 1).rates(true, false).build();
    assertThat(requireNonNull(few.latencies().send()).count()).isEqualTo(30);
    Page page = Page.of(new Results(SampleResults.environment(), List.of(few))).section("latency");
    String path =
        page.elements(Page.tag("path")).stream()
            .filter(e -> e.getAttribute("class").equals("line c0 d0"))
            .findFirst()
            .orElseThrow()
            .getAttribute("d");
    assertThat(path.substring(path.lastIndexOf("L"))).startsWith("L369.3 ");
  }

  @ParameterizedTest
  @MethodSource("all")
  void everyDrawingStaysInItsFrame(Results results) throws IOException {
    Pattern number = Pattern.compile("-?\\d+(\\.\\d+)?");
    Predicate<Element> drawn =
        e -> e.getAttribute("class").startsWith("line ") && !e.getAttribute("d").equals("M2 4H26");
    for (Element line : Page.of(results).elements(drawn)) {
      assertThat(
              number
                  .matcher(line.getAttribute("d"))
                  .results()
                  .mapToDouble(m -> Double.parseDouble(m.group())))
          .allMatch(at -> at >= -0.1 && at <= 1000.1);
    }
  }
}
