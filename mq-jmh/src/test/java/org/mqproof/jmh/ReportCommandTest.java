package org.mqproof.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Traits;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Environment;
import org.mqproof.report.Published;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;
import org.mqproof.report.Throughput;

final class ReportCommandTest {

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ReportCommand command =
      new ReportCommand(new PrintStream(printed, true, StandardCharsets.UTF_8));
  private final Path directory;

  ReportCommandTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void theRowsOfAllRunsStandBesideWhatWasPublished() throws IOException {
    Path matrix =
        Files.writeString(
            directory.resolve("m.yml"),
            """
            study: S0, a table
            differs: [one machine]
            matrix:
              - {row: kafka-1, system: kafka, nodes: 1, threads: 1, sent: 500}
              - {row: kafka-2, system: kafka, nodes: 2, threads: 1, sent: 800}
              - {row: kafka-3, system: kafka, nodes: 4, threads: 1, sent: 900}
            """);
    String one = write("one", "5 machines", "2026-02-02T00:00:00Z", 1);
    String two = write("two", "7 machines", "2026-01-01T00:00:00Z", 2);

    int code =
        command.run(List.of(one, two, "--published", matrix.toString(), "--to", directory + "/to"));

    assertThat(code).isZero();
    assertThat(directory.resolve("to/report.html")).content().contains("kafka-2");
    Results all = ResultsFile.read(directory.resolve("to/results.json"));
    assertThat(all.rows())
        .extracting(row -> row.load().params().get("senderNodes"))
        .containsExactly("1", "2");
    assertThat(all.rows().get(1).proof().notes())
        .containsExactly("a note", "7 machines; measured on a CPU, 8 cores, Linux, a JDK");
    assertThat(all.environment().startedAt()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(all.environment().setup()).startsWith("2 runs with several setups");
    Published published = Objects.requireNonNull(all.published());
    assertThat(published.figures())
        .extracting(Published.Figure::name, Published.Figure::row, Published.Figure::ratio)
        .containsExactly(tuple("kafka-1", 1, 2.0), tuple("kafka-2", 2, 1.25));
    assertThat(published.differences())
        .containsExactly("one machine", "not measured here: kafka-3");
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("kafka-1")
        .contains("not measured here: kafka-3");
  }

  @Test
  void runsOfOneSetupKeepIt() throws IOException {
    String one = write("one", "5 machines", "2026-02-02T00:00:00Z", 1);
    String two = write("two", "5 machines", "2026-02-03T00:00:00Z", 1);

    assertThat(command.run(List.of(one, two, "--to", directory.toString()))).isZero();

    Results all = ResultsFile.read(directory.resolve("results.json"));
    assertThat(all.environment().setup()).isEqualTo("5 machines");
    assertThat(all.rows())
        .allSatisfy(row -> assertThat(row.proof().notes()).containsExactly("a note"));
    assertThat(all.published()).isNull();
  }

  @Test
  void aRowThatFailedFailsTheReport() throws IOException {
    String one = write("one", "5 machines", "2026-02-02T00:00:00Z", 1, Row.FAILED + "sender-1");
    String two = write("two", "5 machines", "2026-02-02T00:00:00Z", 1);

    assertThat(command.run(List.of(one, two, "--to", directory.toString())))
        .isEqualTo(Command.BROKEN);
  }

  @Test
  void whatCannotBeReadIsNamed() {
    assertThatThrownBy(() -> command.run(List.of("none.json")))
        .hasMessage("there is no file none.json");
    assertThatThrownBy(() -> command.run(List.of("--to", "x")))
        .hasMessage("report: which results? try report --help");
  }

  private String write(String name, String setup, String startedAt, int nodes, String... notes)
      throws IOException {
    Path file = directory.resolve(name + ".json");
    Throughput rate = Throughput.of(1000, null, 100, List.of(new Throughput.Iteration(1, 1000)));
    String count = Integer.toString(nodes);
    Row row =
        new Row(
            new Row.Load(
                "Nodes",
                Map.of("batch", "1..10", "senderNodes", count, "receiverNodes", count),
                nodes,
                nodes),
            new Row.Target(
                "kafka",
                "4.4",
                3,
                "acks=all",
                DeclaredTraits.of(Traits.mode("acks=all").build()),
                Map.of()),
            new Row.Rates(rate, null),
            Row.Latencies.NONE,
            List.of(),
            Row.Cost.NONE,
            new Row.Proof(null, null, notes.length == 0 ? List.of("a note") : List.of(notes)));
    Environment machine =
        new Environment(
            startedAt, setup, "a CPU", 8, 1L << 30, null, "Linux", "a JDK", List.of(), null, "1",
            "c");
    ResultsFile.write(file, new Results(machine, List.of(row)));
    return file.toString();
  }
}
