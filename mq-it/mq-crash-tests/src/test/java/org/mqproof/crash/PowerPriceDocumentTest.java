package org.mqproof.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of prices and its drawing say what the runs say, and nothing else. */
class PowerPriceDocumentTest {

  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Path DOCUMENT = DOCS.resolve("durability.md");
  private static final Path DRAWING = DOCS.resolve("power-price.svg");
  private static final String BEGIN = "<!-- what it costs -->\n";
  private static final String END = "<!-- end -->\n";

  @Test
  void theTableAndTheDrawingAreMadeOfTheRuns() throws IOException {
    List<CellRun> loads = CellRun.read(DOCS.resolve("power-price.tsv"));
    List<CellRun> faults = CellRun.read(DOCS.resolve("fault-matrix.tsv"));
    String table = PowerPrice.table(loads, faults);
    String drawing = PowerPrice.drawing(loads, faults);
    String document = Files.readString(DOCUMENT, UTF_8);
    int from = document.indexOf(BEGIN) + BEGIN.length();
    int to = document.indexOf(END, from);
    if (Boolean.getBoolean("matrix.update")) {
      document = document.substring(0, from) + table + document.substring(to);
      to = document.indexOf(END, from);
      Files.writeString(DOCUMENT, document, UTF_8);
      Files.writeString(DRAWING, drawing, UTF_8);
    }

    assertThat(PowerPrice.isWhole(loads, faults))
        .as("each mode has five pairs with the first of its system")
        .isTrue();
    assertThat(document.substring(from, to))
        .as("docs/durability.md differs from its runs: run this test with -Dmatrix.update=true")
        .isEqualTo(table);
    assertThat(Files.readString(DRAWING, UTF_8)).isEqualTo(drawing);
  }
}
