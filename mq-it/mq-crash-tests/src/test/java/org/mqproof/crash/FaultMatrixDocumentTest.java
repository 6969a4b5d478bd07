package org.mqproof.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The document says what the runs say, and nothing else. */
class FaultMatrixDocumentTest {

  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Path DOCUMENT = DOCS.resolve("fault-matrix.md");
  private static final Path RUNS = DOCS.resolve("fault-matrix.tsv");

  @Test
  void theDocumentIsMadeOfTheRuns() throws IOException {
    if (Boolean.getBoolean("matrix.update")) {
      update();
    }

    assertThat(Files.readString(DOCUMENT, UTF_8))
        .as("docs/fault-matrix.md differs from its runs: run this test with -Dmatrix.update=true")
        .isEqualTo(FaultMatrix.document(CellRun.read(RUNS)));
  }

  /** Adds what was run since: a run that was seen stays. */
  private static void update() throws IOException {
    List<CellRun> runs = new ArrayList<>();
    if (Files.exists(RUNS)) {
      runs.addAll(CellRun.read(RUNS));
    }
    if (Files.isDirectory(CellRun.directory())) {
      try (Stream<Path> files = Files.list(CellRun.directory())) {
        for (Path file : files.toList()) {
          runs.addAll(CellRun.read(file));
        }
      }
    }
    List<CellRun> all =
        runs.stream()
            .distinct()
            .sorted(Comparator.comparing(CellRun::cell).thenComparing(CellRun::line))
            .toList();
    Files.write(RUNS, all.stream().map(CellRun::line).toList(), UTF_8);
    Files.writeString(DOCUMENT, FaultMatrix.document(all), UTF_8);
  }
}
