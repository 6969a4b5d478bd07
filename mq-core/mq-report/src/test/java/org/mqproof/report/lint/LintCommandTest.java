package org.mqproof.report.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LintCommandTest {

  private static final Path SAMPLE = Path.of("..", "..", "docs", "results-sample.json");

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void ourOwnSampleDoesNotContradictItself() throws IOException {
    assertThat(run(SAMPLE.toString())).as(printed()).isEqualTo(LintCommand.CLEAN);
    assertThat(printed()).contains("results-sample.json: 1 rows").contains(" 0 contradictions");
  }

  /** Each line plants one lie in the sample. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "batch" : "1..10"                | "batch" : "1..10", "bodyBytes" : "101" | sent.mebibytesPerSecond        | arithmetic
          "messagesPerSecond" : 88832      | "messagesPerSecond" : 89832      | sent.messagesPerSecond         | arithmetic
          "attempted" : 5288400            | "attempted" : 5288401            | verdict.attempted              | arithmetic
          "lost" : 312                     | "lost" : 313                     | verdict.delivered              | arithmetic
          "acked" : 5288088                | "acked" : 5288089                | verdict.acked                  | arithmetic
          "senders" : 1                    | "senders" : 0                    |                                |
          "batch" : "1..10"                | "batch" : "1"                    | sendLatency.meanNanos          | Little's law
          "batch" : "1..10"                | "batch" : "1..10", "backlog":"9" | processingLatency.meanNanos    | Little's law
          "minNanos" : 2                   | "minNanos" : 200                 | sendLatency.p50Nanos           | order
          "p95Nanos" : 6                   | "p95Nanos" : 606                 | sendLatency.p95Nanos           | Markov's inequality
          "p50Nanos" : 2                   | "p50Nanos" : 92                  | sendLatency.p95Nanos           | order
          """)
  void aLieIsFound(String truth, String lie, String figure, String law) throws IOException {
    String text = Files.readString(SAMPLE);
    String changed = text.replaceFirst(Pattern.quote(truth), lie);
    assertThat(changed).isNotEqualTo(text);
    Path file = Files.writeString(directory.resolve("results.json"), changed);

    int code = run(file.toString());

    if (figure == null) {
      assertThat(code).as(printed()).isEqualTo(LintCommand.CLEAN);
    } else {
      assertThat(code).isEqualTo(LintCommand.CONTRADICTIONS);
      assertThat(printed().lines())
          .anyMatch(line -> line.contains(figure + ": ") && line.endsWith("[" + law + "]"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                           | lint: which file? try lint --help
          none.csv                     | there is no file none.csv
          --what x.csv                 | lint: what is not a recognized option; try lint --help
          --column p95=P x.csv         | --column cannot be 'p95=P': it takes NAME=..., and NAME is a column that lint --help lists
          --value batch x.csv          | --value cannot be 'batch': it takes NAME=..., and NAME is a column that lint --help lists
          --bucket-ms wide x.csv       | *wide*
          """)
  void whatCannotBeDoneIsSaidInOneSentence(String args, String message) {
    assertThatThrownBy(() -> run(args.isEmpty() ? new String[0] : args.split(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(Pattern.quote(message).replace("*", "\\E.*\\Q"));
  }

  @Test
  void aTableOfWordsIsNotClean() throws IOException {
    Path file =
        Files.writeString(directory.resolve("t.csv"), "system,send_latency_p95_ms\nA,fast\n");
    assertThatThrownBy(() -> run(file.toString()))
        .hasMessageEndingWith("has nothing that can be judged: no row has the figures for a law");
  }

  @Test
  void helpNamesEveryColumn() throws IOException {
    assertThat(run("--help")).isEqualTo(LintCommand.CLEAN);
    for (Column column : Column.values()) {
      assertThat(printed()).contains(column.text());
    }
    for (Statistic statistic : Statistic.values()) {
      assertThat(printed()).contains(statistic.text());
    }
  }

  private int run(String... args) throws IOException {
    out.reset();
    return LintCommand.run(List.of(args), new PrintStream(out, true, StandardCharsets.UTF_8));
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }
}
