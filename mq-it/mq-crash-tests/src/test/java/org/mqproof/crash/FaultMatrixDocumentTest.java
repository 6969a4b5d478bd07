package org.mqproof.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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

  /** A cell that was run anew takes the place of its old runs. */
  private static void update() throws IOException {
    List<CellRun> fresh = new ArrayList<>();
    if (Files.isDirectory(CellRun.directory())) {
      try (Stream<Path> files = Files.list(CellRun.directory())) {
        for (Path file : files.toList()) {
          fresh.addAll(CellRun.read(file));
        }
      }
    }
    Set<String> replaced = fresh.stream().map(CellRun::cell).collect(Collectors.toSet());
    List<CellRun> runs = new ArrayList<>(fresh);
    if (Files.exists(RUNS)) {
      CellRun.read(RUNS).stream().filter(run -> !replaced.contains(run.cell())).forEach(runs::add);
    }
    runs.sort(Comparator.comparing(CellRun::cell).thenComparing(CellRun::line));
    Files.write(RUNS, runs.stream().map(CellRun::line).toList(), UTF_8);
    Files.writeString(DOCUMENT, FaultMatrix.document(runs), UTF_8);
  }
}
