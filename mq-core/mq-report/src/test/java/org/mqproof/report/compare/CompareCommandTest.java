package org.mqproof.report.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CompareCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final double[] STEADY = {1000, 1010, 990, 1005, 995};

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void theSameTwiceIsNoDifference() throws IOException {
    String file = file("a", STEADY, row -> {});

    assertThat(run(file, file)).as(printed()).isEqualTo(CompareCommand.NO_SLOWER);
    assertThat(printed())
        .contains("1.000  ")
        .contains("seed 1")
        .contains("no difference shown")
        .endsWith("1 no difference shown\n");
  }

  @Test
  void aTenthLessIsSlowerAndATenthMoreIsFaster() throws IOException {
    String before = file("a", STEADY, row -> {});
    String after = file("b", new double[] {900, 910, 890, 905, 895}, row -> {});

    assertThat(run(before, after)).isEqualTo(CompareCommand.SLOWER);
    assertThat(printed()).contains("FlowBenchmark kafka 1+1").endsWith("1 slower\n");
    assertThat(run(after, before)).isEqualTo(CompareCommand.NO_SLOWER);
    assertThat(printed()).endsWith("1 faster\n");
    assertThat(run("--threshold", "0.2", before, after)).isEqualTo(CompareCommand.NO_SLOWER);
  }

  @Test
  void noiseIsCalledNoiseAndHowManyForksWouldHelpIsSaid() throws IOException {
    String before = file("a", new double[] {1000, 1300, 700, 1200, 900}, row -> {});
    String after = file("b", new double[] {900, 1200, 700, 1100, 800}, row -> {});

    assertThat(run(before, after)).isEqualTo(CompareCommand.NO_SLOWER);
    assertThat(printed()).containsPattern("too noisy to tell: run \\d{2,3} more forks of each");
  }

  /**
   * A rate without a clean verdict is never compared, and losing the verdict is worse than slow.
   */
  @ParameterizedTest
  @CsvSource({
    "true, false, 1, NOT PROVEN ANY MORE: the second run failed or its verdict does not hold",
    "true, , 1, NOT PROVEN ANY MORE: the second run was not verified",
    "false, true, 2, nothing can be compared",
    ", , 2, nothing can be compared",
  })
  void whatIsNotProvenIsNotCompared(Boolean before, Boolean after, int code, String words)
      throws IOException {
    String first = file("a", STEADY, row -> verdict(row, before));
    String second = file("b", STEADY, row -> verdict(row, after));

    if (code == 2) {
      assertThatThrownBy(() -> run(first, second)).hasMessageStartingWith(words);
    } else {
      assertThat(run(first, second)).isEqualTo(code);
      assertThat(printed().replace(",", "")).contains(words).doesNotContain("1.000");
    }
  }

  @Test
  void aBenchmarkThatIsMissingIsAsBadAsASlowOne() throws IOException {
    String before = file("a", STEADY, row -> {});
    String after = file("b", STEADY, row -> row.put("benchmark", "OtherBenchmark"));

    assertThat(run(before, after)).isEqualTo(CompareCommand.SLOWER);
    assertThat(printed())
        .contains("NOT PROVEN ANY MORE: the second run has no such row")
        .contains("not compared: not in the first run");
  }

  @Test
  void oneForkSaysNothingAndSeveralFilesAreOneRun() throws IOException {
    String one = file("a", new double[] {1000}, row -> {});
    String two = file("b", new double[] {1000, 1010}, row -> {});
    String three = file("c", new double[] {990, 1005, 995}, row -> {});

    assertThatThrownBy(() -> run(one, one))
        .hasMessage(
            "nothing can be compared: no row is proven in both runs with at least 5 forks in each");
    assertThat(run(two + "," + three, three + "," + two)).isEqualTo(CompareCommand.NO_SLOWER);
    assertThat(printed()).endsWith("1 no difference shown\n");
  }

  @Test
  void aPullRequestGetsMarkdown() throws IOException {
    String before = file("a", STEADY, row -> {});
    String after = file("b", new double[] {900, 910, 890, 905, 895}, row -> {});
    Path markdown = directory.resolve("summary.md");

    int code = run("--markdown", markdown.toString(), before, after);

    assertThat(code).isEqualTo(CompareCommand.SLOWER);
    assertThat(Files.readString(markdown))
        .startsWith("### 1 slower\n\n| benchmark | before, msgs/s |")
        .contains(
            "\n|---|--:|--:|--:|--:|---|\n| FlowBenchmark kafka 1+1 | 1,000 | 900 | 0.900 | ");
  }

  @Test
  void twoMachinesAreTold() throws IOException {
    String before = file("a", STEADY, row -> {});
    String other = Files.readString(Path.of(before)).replace("\"cores\":2", "\"cores\":4");
    Path after = Files.writeString(directory.resolve("b.json"), other);

    run(before, after.toString());

    assertThat(printed()).contains("The number of cores differs: 2 before, 4 after.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a.json                          | compare: which two files? try compare --help
          a.json b.json                   | there is no file a.json
          --threshold 5 a.json b.json     | --threshold cannot be 5.0: it takes a number between 0 and 1
          --threshold much a.json b.json  | compare: Cannot parse argument 'much' of option threshold; try compare --help
          --what a.json b.json            | compare: what is not a recognized option; try compare --help
          """)
  void whatCannotBeDoneIsSaidInOneSentence(String args, String message) {
    assertThatThrownBy(() -> run(args.split(" ", -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static void verdict(ObjectNode row, Boolean holds) {
    if (holds == null) {
      row.putNull("verdict");
    } else if (!holds) {
      ((ObjectNode) row.get("verdict")).put("lost", 1);
    }
  }

  /** The sample of the documentation with a sound verdict and one iteration per fork. */
  private String file(String name, double[] rates, Consumer<ObjectNode> change) throws IOException {
    ObjectNode results =
        (ObjectNode) JSON.readTree(Path.of("..", "..", "docs", "results-sample.json").toFile());
    ObjectNode row = (ObjectNode) results.get("rows").get(0);
    ((ObjectNode) row.get("verdict")).put("lost", 0);
    ArrayNode iterations = ((ObjectNode) row.get("received")).putArray("iterations");
    for (int fork = 1; fork <= rates.length; fork++) {
      iterations.addObject().put("fork", fork).put("messagesPerSecond", rates[fork - 1]);
    }
    change.accept(row);
    Path file = directory.resolve(name + ".json");
    JSON.writeValue(file.toFile(), results);
    return file.toString();
  }

  private int run(String... args) throws IOException {
    out.reset();
    return CompareCommand.run(List.of(args), new PrintStream(out, true, StandardCharsets.UTF_8));
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }
}
