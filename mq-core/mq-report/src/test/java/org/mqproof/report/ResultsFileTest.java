package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ResultsFileTest {

  private static final Path DOCS = Path.of("..", "..", "docs");

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path directory;

  @ParameterizedTest
  @MethodSource("samples")
  void whatIsWrittenIsRead(Results results) throws IOException {
    Path file = directory.resolve("new").resolve("results.json");
    ResultsFile.write(file, results);
    assertThat(ResultsFile.read(file)).isEqualTo(results);
  }

  static List<Results> samples() {
    return List.of(
        SampleResults.kafka(),
        SampleResults.many(),
        SampleResults.bare(),
        SampleResults.documented(),
        new Results(SampleResults.environment(), List.of()));
  }

  @Test
  void aFileIsReplacedAndNoPartIsLeft() throws IOException {
    Path file = directory.resolve("results.json");
    ResultsFile.write(file, SampleResults.many());
    ResultsFile.write(file, SampleResults.oneRow());
    assertThat(ResultsFile.read(file)).isEqualTo(SampleResults.oneRow());
    assertThat(names()).containsExactly("results.json");
  }

  @Test
  void afterAFailedWriteNoPartIsLeft() throws IOException {
    Path file = directory.resolve("results.json");
    Files.createDirectories(file.resolve("in the way"));
    assertThatThrownBy(() -> ResultsFile.write(file, SampleResults.oneRow()))
        .isInstanceOf(IOException.class);
    assertThat(names()).containsExactly("results.json");
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Test
  void whatCannotBeMeasuredIsNotWritten() {
    Row row = SampleResults.row("F", "s", "m", "1", Double.NaN, 1).forks().build();
    Path file = directory.resolve("results.json");
    Results results = new Results(SampleResults.environment(), List.of(row));
    assertThatThrownBy(() -> ResultsFile.write(file, results))
        .hasMessage(
            "rows[0].sent.messagesPerSecond must be a finite number of at least 0, was NaN");
    assertThatThrownBy(() -> HtmlReport.write(file, results))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(file).doesNotExist();
  }

  @Test
  void theSampleInTheDocsIsWhatThisVersionWrites() throws IOException {
    Path sample = DOCS.resolve("results-sample.json");
    if (Boolean.getBoolean("schema.update")) {
      ResultsFile.write(sample, SampleResults.documented());
    }
    assertThat(ResultsFile.read(sample)).isEqualTo(SampleResults.documented());
    assertThat(Files.readString(sample))
        .isEqualTo(ResultsFile.toJson(SampleResults.documented()) + "\n");
  }

  @Test
  void everyFieldIsDocumented() throws IOException {
    String documentation = Files.readString(DOCS.resolve("results.md"));
    Matcher field =
        Pattern.compile("\"(\\w+)\" :").matcher(ResultsFile.toJson(SampleResults.documented()));
    TreeSet<String> missing = new TreeSet<>();
    while (field.find()) {
      if (!documentation.contains("`" + field.group(1) + "`")) {
        missing.add(field.group(1));
      }
    }
    // Keys of the maps are data, not fields.
    missing.removeAll(List.of("batch", "body", "system", "endpoints", "partitions", "kafka"));
    assertThat(missing).isEmpty();
  }

  @Test
  void whatAnOlderFileDoesNotHaveIsNotKnown() throws IOException {
    ObjectNode file = (ObjectNode) JsonMapper.builder().build().readTree(json());
    ((ObjectNode) file.path("rows").path(0))
        .remove(
            List.of(
                "acked",
                "cpuMicrosPerMessage",
                "allocatedBytesPerMessage",
                "gcMillis",
                "ledgerBytesPerMessage",
                "openLoop",
                "selfCheck"));

    Row row = read(file.toString()).rows().get(0);

    Row now = SampleResults.documented().rows().get(0);
    assertThat(row.rates())
        .isEqualTo(new Row.Rates(now.rates().sent(), now.rates().received(), null));
    assertThat(row.cost()).isEqualTo(Row.Cost.NONE);
    assertThat(row.latencies().openLoop()).isNull();
    assertThat(row.load()).isEqualTo(now.load());
    assertThat(row.proof())
        .isEqualTo(new Row.Proof(now.proof().verdict(), null, now.proof().notes()));
  }

  @Test
  void aFieldOfALaterVersionIsIgnored() throws IOException {
    String json = json().replaceFirst("\"schema\" : 1,", "\"schema\" : 1, \"weather\" : [1],");
    assertThat(read(json)).isEqualTo(SampleResults.documented());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "schema" : 1,                | "schema" : 3,        | is of schema 3, this version reads 1
          "schema" : 1,                |                      | is not a results file: it has no schema number
          "schema" : 1,                | "schema" : "1",      | is not a results file: it has no schema number
          "cores" : 2,                 |                      | environment.cores: *null*int*
          "cores" : 2,                 | "cores" : "many",    | environment.cores: *many*
          "cores" : 2,                 | "cores" : 2.5,       | environment.cores: *
          "cores" : 2,                 | "cores" : 0,         | environment.cores must be at least 1, was 0
          "kernel" : "Linux 6.1.0",    |                      | environment.kernel is missing
          "ordering" : "PER_SENDER",   | "ordering" : "ANY",  | rows[0].traits.ordering: *ANY*
          "confidence" : 0.999,        | "confidence" : 99.9, | rows[0].sent.confidence must be between 0 and 1, was 99.9
          "schema" : 1,                | "schema" : 1, x      | is not JSON: *
          """)
  void anErrorNamesTheFileAndTheField(String good, String bad, String message) throws IOException {
    String json = json().replaceFirst(Pattern.quote(good), bad == null ? "" : bad);
    assertThat(json).isNotEqualTo(json());
    String words = Pattern.quote(message).replace("*", "\\E.*\\Q");
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(IOException.class)
        .hasMessageMatching("results\\.json:? " + words)
        .hasMessageNotContaining("\n");
  }

  @Test
  void aFileCutShortIsAnError() throws IOException {
    String json = json();
    assertThatThrownBy(() -> read(json.substring(0, json.length() / 2)))
        .hasMessageStartingWith("results.json is not JSON: ");
    assertThatThrownBy(() -> read("")).hasMessageStartingWith("results.json is not");
    assertThatThrownBy(() -> read(json + "{}")).hasMessageStartingWith("results.json");
  }

  private static String json() throws IOException {
    return ResultsFile.toJson(SampleResults.documented());
  }

  private Results read(String json) throws IOException {
    Path file = directory.resolve("results.json");
    Files.writeString(file, json);
    return ResultsFile.read(file);
  }
}
