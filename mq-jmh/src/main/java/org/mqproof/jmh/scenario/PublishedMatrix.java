package org.mqproof.jmh.scenario;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A study's matrix of systems, client nodes and threads, with what it published. Plain data, read
 * from the file that the cloud profile runs it from; immutable.
 *
 * @param study which study, and where in it
 * @param differs what is not as in the study, a sentence each
 * @param matrix its rows
 */
public record PublishedMatrix(String study, List<String> differs, List<Line> matrix) {

  /** Rows that say nothing else send batches of this size. */
  private static final String BATCH = "1..10";

  /**
   * One row of the study; a figure that it does not have is null.
   *
   * @param row its name in the study's table, as the project's data have it
   * @param system the provider's name
   * @param nodes sender nodes, and as many receiver nodes
   * @param threads on each sender node, and on each receiver node unless it says another number
   * @param receiverThreads on each receiver node; null for as many as {@code threads}
   * @param batch messages of one send; null for 1 to 10
   * @param sent messages per second
   * @param received messages per second
   * @param sendP95Millis 95th percentile of the send latency
   * @param processingP95Millis 95th percentile of the processing latency
   */
  public record Line(
      String row,
      String system,
      int nodes,
      int threads,
      @Nullable Integer receiverThreads,
      @Nullable String batch,
      @Nullable Double sent,
      @Nullable Double received,
      @Nullable Double sendP95Millis,
      @Nullable Double processingP95Millis) {

    /** The same with the parameters of the row of ours that stands beside it. */
    Scenario.Published published() {
      int receivers = receiverThreads == null ? threads : receiverThreads;
      return new Scenario.Published(
          row,
          Map.of(
              "system", system,
              "senderNodes", Integer.toString(nodes),
              "receiverNodes", Integer.toString(nodes),
              "senders", Integer.toString(nodes * threads),
              "receivers", Integer.toString(nodes * receivers),
              "batch", batch == null ? BATCH : batch),
          sent,
          received,
          sendP95Millis,
          processingP95Millis);
    }
  }

  /**
   * Reads a matrix. Other parts of the file are the cloud profile's and are not looked at.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException with one sentence if it holds no such matrix
   */
  public static PublishedMatrix read(Path file) throws IOException {
    try {
      JsonNode tree = YAMLMapper.builder().build().readTree(Files.readString(file));
      JsonMapper mapper = JsonMapper.builder().build();
      String study = tree.path("study").asText();
      List<String> differs =
          mapper.readerFor(new TypeReference<List<String>>() {}).readValue(tree.path("differs"));
      List<Line> matrix =
          mapper.readerFor(new TypeReference<List<Line>>() {}).readValue(tree.path("matrix"));
      if (study.isEmpty() || differs == null || matrix == null || matrix.isEmpty()) {
        throw new IllegalArgumentException(
            file.getFileName() + " is no matrix: it needs study, differs and matrix");
      }
      return new PublishedMatrix(study, differs, matrix);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "%s is no matrix: %s"
              .formatted(file.getFileName(), e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    }
  }
}
