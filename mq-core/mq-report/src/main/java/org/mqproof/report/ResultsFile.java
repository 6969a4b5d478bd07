package org.mqproof.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Reads and writes {@code results.json}. Stateless, thread-safe.
 *
 * <p>The format is described in {@code docs/results.md}. A field that this version does not know is
 * ignored; one that it needs and does not find is an error that names it.
 */
public final class ResultsFile {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
          .build();

  private ResultsFile() {}

  /**
   * Writes a run, so that a reader sees the old file or the whole new one, never a part.
   *
   * @param file where to; its directory is made if need be
   * @param results what was measured
   * @throws IOException if the file cannot be written
   * @throws IllegalArgumentException if a field is missing, or not a number that can be measured
   */
  public static void write(Path file, Results results) throws IOException {
    Check.results(results);
    replace(file, toJson(results) + "\n");
  }

  /**
   * Reads a run.
   *
   * @param file as written by {@link #write}
   * @return the run
   * @throws IOException if the file cannot be read, is not such a file, or is of another schema;
   *     the message is one sentence that names the file and the field
   */
  public static Results read(Path file) throws IOException {
    byte[] json = Files.readAllBytes(file);
    String name = String.valueOf(file.getFileName());
    try {
      JsonNode tree = MAPPER.readTree(json);
      JsonNode schema = tree.path("schema");
      if (!schema.isInt()) {
        throw new IOException(name + " is not a results file: it has no schema number");
      }
      if (schema.intValue() != Results.SCHEMA) {
        throw new IOException(
            name + " is of schema " + schema.intValue() + ", this version reads " + Results.SCHEMA);
      }
      Results results = MAPPER.treeToValue(tree, Results.class);
      Check.results(results);
      return results;
    } catch (IllegalArgumentException e) {
      throw new IOException(name + ": " + e.getMessage(), e);
    } catch (JsonMappingException e) {
      throw new IOException(name + ": " + fieldOf(e) + firstLine(e.getOriginalMessage()), e);
    } catch (JsonProcessingException e) {
      throw new IOException(name + " is not JSON: " + firstLine(e.getOriginalMessage()), e);
    }
  }

  static String toJson(Results results) throws IOException {
    return MAPPER.writeValueAsString(results);
  }

  static void replace(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new IOException(file + " is not a file's name");
    }
    Files.createDirectories(directory);
    // In the same directory: a move between file systems is a copy, which a reader can see half of.
    // Not a temporary file of the JDK: those only their owner may read.
    Path part = directory.resolve(file.getFileName() + "." + UUID.randomUUID() + ".part");
    try {
      Files.write(part, text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE_NEW);
      move(part, file);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** For example {@code "rows[3].sent.error: "}. */
  private static String fieldOf(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.length() == 0 ? "" : ".").append(step.getFieldName());
      }
    }
    return path.length() == 0 ? "" : path + ": ";
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
