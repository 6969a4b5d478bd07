package org.mqproof.report.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.report.lint.Column.Side;
import org.mqproof.report.lint.PublishedTable.PublishedRow;

final class TableLintTest {

  /** In the study's text, without threads: what it is checked against leaves it out. */
  private static final String PROSE_WITHOUT_THREADS = "mongodb-007 send_latency_p95_ms BUCKET";

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path directory;

  @Test
  void inTheStudyOf2017ItFindsWhatWasFoundByHandAndNothingElse() throws Exception {
    List<String> expected = new ArrayList<>();
    for (PublishedRow row : resource("s0-2017-expected.csv", expectedHeadings())) {
      String send = row.text("batch");
      if (send.startsWith("IMPOSSIBLE")) {
        expected.add(row.name() + " send_latency_p95_ms MARKOV");
      } else if (send.startsWith("bucket artefact")) {
        expected.add(row.name() + " send_latency_p95_ms BUCKET");
      }
      if (row.text("system").startsWith("bucket artefact")) {
        expected.add(row.name() + " processing_latency_p95_ms BUCKET");
      }
    }
    assertThat(expected).hasSize(51);
    expected.add(PROSE_WITHOUT_THREADS);

    List<Finding> found =
        new TableLint(
                new PublishedTable(resource("s0-2017.csv", Map.of())),
                TableLint.BUCKETS_OF_2017_MILLIS)
            .lint()
            .findings();

    assertThat(found.stream().map(f -> f.row() + " " + f.figure() + " " + f.law()))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void inTheStudyOf2017TheMeansItDerivesAreThoseDerivedByHand() throws Exception {
    Map<String, PublishedRow> expected = new HashMap<>();
    resource("s0-2017-expected.csv", expectedHeadings())
        .forEach(row -> expected.put(row.name(), row));
    Map<String, Double> means = new HashMap<>();
    for (PublishedRow row : resource("s0-2017.csv", Map.of())) {
      TableLint.ceiling(row, Side.SEND)
          .ifPresent(ceiling -> means.put(row.name(), ceiling.printed()));
    }

    assertThat(means).containsOnlyKeys(expected.keySet());
    expected.forEach(
        (name, row) -> {
          double mean = Objects.requireNonNull(means.get(name));
          assertThat(mean).isCloseTo(value(row, "send_latency_mean_ms"), within(0.0051));
          assertThat(Bounds.percentile(mean, 0.95))
              .isCloseTo(value(row, "send_latency_max_ms"), within(0.051));
        });
  }

  /** The listing has columns of its own; they are read under names that this test can ask for. */
  private static Map<String, String> expectedHeadings() {
    return Map.of(
        "send_latency_mean_ms", "derived_mean_send_ms_upper_bound",
        "send_latency_max_ms", "markov_p95_ceiling_ms",
        "batch", "send_verdict",
        "system", "processing_verdict");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | 10 | 1000 | send_latency_mean_ms=10.1 | LITTLE
          1 | 10 | 1000 | send_latency_mean_ms=10.0 |
          1 | 10 | 1000 | send_latency_p95_ms=201   | MARKOV
          1 | 10 | 1000 | send_latency_p95_ms=200   |
          1 | 10 | 1000 | send_latency_p99_ms=1002  | MARKOV
          1 | 10 | 1000 | send_latency_max_ms=9999  |
          4 | 10 | 1000 | send_latency_p95_ms=201   |
          1 | 10 |      | send_latency_p95_ms=9999  |
          1 |    | 1000 | send_latency_p95_ms=9999  |
            | 10 | 1000 | send_latency_p95_ms=9999  |
          1 | 10 | 1000 | send_latency_p95_ms=8;send_latency_p50_ms=10  | ORDER
          1 | 10 | 1000 | send_latency_max_ms=9;send_latency_p99_ms=9.6 | ORDER
          1 | 10 | 1000 | send_latency_max_ms=8;send_latency_mean_ms=10 | ORDER
          1 | 10 | 1000 | send_latency_p95_ms=22;send_latency_mean_ms=1 |
          1 | 10 | 1000 | send_latency_p95_ms=31;send_latency_mean_ms=1 | MARKOV
          1 | 10 | 1000 | processing_latency_p95_ms=31;processing_latency_mean_ms=1 | MARKOV
          1 | 10 | 1000 | processing_latency_mean_ms=102;in_flight_msgs=100;receive_msgs_s=1000 | LITTLE
          1 | 10 | 1000 | processing_latency_mean_ms=100;in_flight_msgs=100;receive_msgs_s=1000 |
          1 | 10 | 1000 | rtt_ms=1;in_flight_msgs=1;receive_msgs_s=2500  | LITTLE
          1 | 10 | 1000 | rtt_ms=10;in_flight_msgs=60;receive_msgs_s=5000 |
          """)
  void aRowIsHeldToTheLaws(String threads, String batch, String rate, String others, String law) {
    Map<String, String> cells = new HashMap<>(Map.of("nodes", "1"));
    put(cells, "threads", threads);
    put(cells, "batch", batch);
    put(cells, "send_msgs_s", rate);
    for (String other : others.split(";", -1)) {
      int equals = other.indexOf('=');
      cells.put(other.substring(0, equals), other.substring(equals + 1));
    }
    List<Finding> found =
        new TableLint(new PublishedTable(List.of(new PublishedRow("row", cells))), 50)
            .lint()
            .findings();

    assertThat(found.stream().map(finding -> finding.law().name()))
        .isEqualTo(law == null ? List.of() : List.of(law));
  }

  @Test
  void aSentenceHasTheFiguresAndTheLaw() {
    Map<String, String> cells =
        Map.of(
            "nodes", "1",
            "threads", "1",
            "batch", "1-10",
            "send_msgs_s", "2391",
            "send_latency_p95_ms", "48");
    PublishedTable table = new PublishedTable(List.of(new PublishedRow("kafka-039", cells)));

    assertThat(new TableLint(table, 50).lint().findings())
        .singleElement()
        .hasToString(
            "kafka-039 send_latency_p95_ms: 48 ms cannot be: one thread sent 2391 messages a second in batches of 5.5, so a send took at most 2.3 ms on average (Little's law), and no p95 is above 20 times the mean, here 46 ms [Markov's inequality]");
  }

  @Test
  void oneFigureOf48MillisecondsIsNoArtefactAndAQuarterOfAColumnIs() {
    assertThat(laws("48", "20", "70", "90")).isEmpty();
    assertThat(laws("48", "47", "48", "90", "20", "70")).containsOnly("BUCKET").hasSize(3);
    assertThat(laws("48", "47", "48", "90", "20", "70", "49", "50")).hasSize(3);
  }

  @Test
  void aFarLargestFigureThatRepeatsIsTheEndOfTheScale() {
    assertThat(laws("60000", "60000", "60000", "90", "80", "70", "60"))
        .containsOnly("SATURATION")
        .hasSize(3);
    assertThat(laws("60000", "60000", "90", "80", "70", "60")).isEmpty();
    assertThat(laws("9", "9", "9", "3", "8", "7", "6")).isEmpty();
  }

  private static List<String> laws(String... processingP95Millis) {
    List<PublishedRow> rows = new ArrayList<>();
    for (String value : processingP95Millis) {
      rows.add(new PublishedRow("row", Map.of("processing_latency_p95_ms", value)));
    }
    return new TableLint(new PublishedTable(rows), 50)
        .lint().findings().stream().map(finding -> finding.law().name()).toList();
  }

  @Test
  void aTableWithOtherHeadingsIsReadByGivingThem() throws IOException {
    Path file = directory.resolve("study.csv");
    Files.writeString(
        file,
        """
        Broker,Threads,Msgs/s,Latency 95
        Fast,1,"2,391",48
        Odd,1,2391,~70
        """);
    PublishedTable table =
        PublishedTable.read(
            file,
            Map.of(
                "system", "Broker",
                "threads", "Threads",
                "send_msgs_s", "Msgs/s",
                "send_latency_p95_ms", "Latency 95"),
            Map.of("nodes", "1", "batch", "1-10"));
    Report report = new TableLint(table, 50).lint();

    assertThat(report.findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.row()).isEqualTo("Fast line 2"))
        .satisfies(finding -> assertThat(finding.law()).isEqualTo(Law.MARKOV));
    assertThat(report.unread()).containsExactly("Odd line 3 send_latency_p95_ms '~70'");
  }

  @Test
  void aTableThatCannotBeReadSaysWhichColumnsItWants() throws IOException {
    Path file = Files.writeString(directory.resolve("study.csv"), "Broker,Rate\nFast,7\n");
    assertThatThrownBy(() -> PublishedTable.read(file, Map.of(), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "study.csv has no latency that can be judged: it has the columns Broker, Rate; wanted is at least one of send_latency_mean_ms, ")
        .hasMessageEndingWith("or rtt_ms, by that name or with --column NAME=HEADING")
        .hasMessageNotContaining("\n");
    assertThatThrownBy(
            () -> PublishedTable.read(file, Map.of("send_latency_p95_ms", "P95"), Map.of()))
        .hasMessage("study.csv has no column 'P95' for send_latency_p95_ms; it has Broker, Rate");
  }

  private static void put(Map<String, String> cells, String column, String text) {
    if (text != null) {
      cells.put(column, text);
    }
  }

  private static double value(PublishedRow row, String column) {
    Optional<Figure> figure = row.figure(column);
    return figure.orElseThrow().value();
  }

  private static List<PublishedRow> resource(String name, Map<String, String> headings)
      throws IOException, URISyntaxException {
    var url = Objects.requireNonNull(TableLintTest.class.getResource(name));
    return PublishedTable.read(Path.of(url.toURI()), headings, Map.of()).rows();
  }
}
