package org.mqproof.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Traits;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Published;
import org.mqproof.report.Row;
import org.mqproof.report.Throughput;

/** S0's matrix as the cloud profile runs it, against the figures as they were transcribed. */
final class PublishedMatrixTest {

  private static final Path MATRIX = Path.of("../cloud-profile/s0-matrix.yml");
  private static final Path TRANSCRIBED =
      Path.of("../mq-core/mq-report/src/test/resources/org/mqproof/report/lint/s0-2017.csv");

  @Test
  void everyFigureOfTheMatrixIsTheTranscribedOne() throws IOException {
    Map<String, PublishedMatrix.Line> lines = lines();
    for (Map<String, String> row : transcribed()) {
      PublishedMatrix.@Nullable Line line = lines.get(row.get("row_id"));
      if (line == null) {
        continue;
      }
      String name = line.row();
      assertThat(line.system()).as(name).isEqualTo(lower(row, "system"));
      if (!lower(row, "nodes").isEmpty()) {
        assertThat(line.nodes()).as(name).isEqualTo(Integer.parseInt(lower(row, "nodes")));
      }
      if (!lower(row, "threads").isEmpty()) {
        assertThat(line.threads()).as(name).isEqualTo(Integer.parseInt(lower(row, "threads")));
      }
      String batch = line.batch() == null ? "1..10" : line.batch();
      assertThat(batch).as(name).isEqualTo(lower(row, "batch").replace("-", ".."));
      assertThat(line.sent()).as(name).isEqualTo(number(row, "send_msgs_s"));
      assertThat(line.received()).as(name).isEqualTo(number(row, "receive_msgs_s"));
      assertThat(line.sendP95Millis()).as(name).isEqualTo(number(row, "send_latency_p95_ms"));
      assertThat(line.processingP95Millis())
          .as(name)
          .isEqualTo(number(row, "processing_latency_p95_ms"));
    }
  }

  @Test
  void whatIsLeftOutIsSaid() throws IOException {
    List<String> out = new ArrayList<>();
    Map<String, PublishedMatrix.Line> lines = lines();
    transcribed().forEach(row -> out.add(lower(row, "row_id")));
    out.removeAll(lines.keySet());
    String said = String.join(" ", PublishedMatrix.read(MATRIX).differs());

    assertThat(lines).hasSize(54);
    assertThat(out).hasSize(4).allSatisfy(row -> assertThat(said).contains(row));
  }

  @Test
  void aRowOfOursStandsBesideThatOfItsNodesThreadsAndBatch() throws IOException {
    PublishedMatrix matrix = PublishedMatrix.read(MATRIX);

    Published published =
        PublishedComparison.of(
            matrix,
            List.of(
                row("kafka", 4, 100, 100, "1..100"),
                row("kafka", 1, 100, 100, "1..10"),
                row("eventstore", 1, 25, 1, "1..10"),
                row("kafka", 4, 100, 100, "1..10")));

    assertThat(published.figures().stream().map(f -> f.name() + " " + f.row()))
        .containsOnly("kafka-050 1", "eventstore-053 3", "kafka-047 4");
    assertThat(published.differences())
        .startsWith(matrix.differs().toArray(String[]::new))
        .last()
        .asString()
        .startsWith("not measured here: kafka-039, kafka-040, ")
        .doesNotContain("kafka-047", "kafka-050", "eventstore-053");
  }

  @Test
  void aFileThatIsNoneIsSaid(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("m.yml");
    for (String text : List.of("", "study: S\ndiffers: []\n", "a: [", "study: S\nmatrix: 3\n")) {
      Files.writeString(file, text);
      assertThatThrownBy(() -> PublishedMatrix.read(file))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("m.yml is no matrix: ");
    }
    Files.writeString(
        file,
        "study: S\ndiffers: []\nmatrix: [{row: a, system: b, nodes: 1, threads: 1, send: 5}]\n");
    assertThatThrownBy(() -> PublishedMatrix.read(file)).hasMessageContaining("\"send\"");
  }

  private static Map<String, PublishedMatrix.Line> lines() throws IOException {
    return PublishedMatrix.read(MATRIX).matrix().stream()
        .collect(Collectors.toMap(PublishedMatrix.Line::row, line -> line));
  }

  private static List<Map<String, String>> transcribed() throws IOException {
    try (var rows =
        new CsvMapper()
            .readerForMapOf(String.class)
            .with(CsvSchema.emptySchema().withHeader())
            .<Map<String, String>>readValues(Files.newBufferedReader(TRANSCRIBED))) {
      return rows.readAll();
    }
  }

  private static String lower(Map<String, String> row, String column) {
    return Objects.requireNonNull(row.get(column), column).toLowerCase(Locale.ROOT);
  }

  private static @Nullable Double number(Map<String, String> row, String column) {
    String text = lower(row, column);
    return text.isEmpty() ? null : Double.valueOf(text);
  }

  private static Row row(String system, int nodes, int senders, int receivers, String batch) {
    Throughput rate = new Throughput(1000, null, 0.1, 0, List.of());
    String count = Integer.toString(nodes);
    return new Row(
        new Row.Load(
            "Nodes",
            Map.of("batch", batch, "senderNodes", count, "receiverNodes", count),
            senders,
            receivers),
        new Row.Target(
            system, "", 3, "none", DeclaredTraits.of(Traits.mode("none").build()), Map.of()),
        new Row.Rates(rate, rate),
        Row.Latencies.NONE,
        List.of(),
        Row.Cost.NONE,
        Row.Proof.NONE);
  }
}
