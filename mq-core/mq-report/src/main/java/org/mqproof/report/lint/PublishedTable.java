package org.mqproof.report.lint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A table as it was published. Immutable.
 *
 * @param rows in its order
 */
record PublishedTable(List<PublishedRow> rows) {

  /**
   * One line.
   *
   * @param name its {@code row_id}, else its system and line number
   * @param cells text by the name of a {@link Column} or a latency; no empty cells
   */
  record PublishedRow(String name, Map<String, String> cells) {

    String text(String column) {
      return cells.getOrDefault(column, "");
    }

    /** The number in a cell; empty if there is none. */
    Optional<Figure> figure(String column) {
      return Figure.of(text(column));
    }

    Optional<Figure> figure(Column column) {
      return figure(column.text());
    }
  }

  /**
   * Reads a file of comma-separated values whose first line names the columns.
   *
   * @param headings what this table calls a column, by our name for it
   * @param constants what holds for every row, by our name for the column
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if it is not such a file, or lacks what is needed: one
   *     sentence that says which columns it has and which are wanted
   */
  static PublishedTable read(Path file, Map<String, String> headings, Map<String, String> constants)
      throws IOException {
    String name = String.valueOf(file.getFileName());
    List<Map<String, String>> lines = new ArrayList<>();
    List<String> header = new ArrayList<>();
    try (MappingIterator<Map<String, String>> cells =
        new CsvMapper()
            .readerForMapOf(String.class)
            .with(CsvParser.Feature.TRIM_SPACES)
            .with(CsvParser.Feature.SKIP_EMPTY_LINES)
            .with(CsvSchema.emptySchema().withHeader())
            .readValues(Files.newBufferedReader(file))) {
      while (cells.hasNext()) {
        lines.add(cells.next());
      }
      if (cells.getParserSchema() instanceof CsvSchema schema) {
        schema.forEach(column -> header.add(column.getName()));
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "%s is not a table of comma-separated values: %s"
              .formatted(name, e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    }
    require(name, header, headings, constants);
    Map<String, String> ours = new HashMap<>();
    header.forEach(heading -> ours.put(heading, heading));
    headings.forEach((column, heading) -> ours.put(heading, column));
    List<PublishedRow> rows = new ArrayList<>();
    for (Map<String, String> line : lines) {
      Map<String, String> cells = new LinkedHashMap<>(constants);
      line.forEach(
          (heading, text) -> {
            String column = ours.getOrDefault(heading, heading);
            if (Column.known(column) && !text.isBlank()) {
              cells.put(column, text.strip());
            }
          });
      String numbered =
          (cells.getOrDefault(Column.SYSTEM.text(), "") + " line " + (rows.size() + 2)).strip();
      rows.add(
          new PublishedRow(
              cells.getOrDefault(Column.ROW_ID.text(), numbered),
              Collections.unmodifiableMap(cells)));
    }
    return new PublishedTable(List.copyOf(rows));
  }

  private static void require(
      String name,
      List<String> header,
      Map<String, String> headings,
      Map<String, String> constants) {
    headings.forEach(
        (column, heading) -> {
          if (!header.contains(heading)) {
            throw new IllegalArgumentException(
                "%s has no column '%s' for %s; it has %s"
                    .formatted(name, heading, column, String.join(", ", header)));
          }
        });
    TreeSet<String> there = new TreeSet<>(header);
    there.addAll(headings.keySet());
    there.addAll(constants.keySet());
    boolean latency = Column.latencies().stream().anyMatch(there::contains);
    if (!latency && !there.contains(Column.RTT.text())) {
      throw new IllegalArgumentException(
          "%s has no latency that can be judged: it has the columns %s; wanted is at least one of %s or %s, by that name or with --column NAME=HEADING"
              .formatted(
                  name,
                  String.join(", ", header),
                  String.join(", ", Column.latencies()),
                  Column.RTT.text()));
    }
  }
}
