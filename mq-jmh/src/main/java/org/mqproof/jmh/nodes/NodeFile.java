package org.mqproof.jmh.nodes;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Environment;

/**
 * What one node of a run on several machines leaves, beside its history: written when it starts, so
 * that a node that dies is missed, and again when it ends. It names no host. Immutable; in a file
 * the fields of all groups are the node's own.
 *
 * @param schema the version of this format
 * @param task what the node was to do
 * @param times when
 * @param environment the machine and its JVM
 * @param ended false in the file that is written at the start
 * @param failure why the node did not do its part, one sentence; null if it did
 * @param promise of the system it used
 * @param done what it did
 * @param failures what went wrong and was counted
 */
record NodeFile(
    int schema,
    @JsonUnwrapped Task task,
    @JsonUnwrapped Times times,
    Environment environment,
    boolean ended,
    @Nullable String failure,
    @JsonUnwrapped Promise promise,
    @JsonUnwrapped Done done,
    @JsonUnwrapped Failures failures) {

  static final int SCHEMA = 1;
  static final String SUFFIX = ".json";
  static final String HISTORY = ".history";

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /**
   * One second of a node.
   *
   * @param second since the agreed start, from 0
   * @param messages confirmed or received in it
   * @param times what {@link Distribution#encode} made of its samples; empty if none was measured
   */
  record Span(int second, long messages, List<String> times) {}

  /**
   * What a node is to do.
   *
   * @param role whether it sends or receives
   * @param node its name in the run
   * @param run the run's number
   * @param queue that all nodes shared
   * @param params as given, but for the settings
   * @param settings what it connected with, without secrets and addresses
   * @param firstSender number of its first sender
   * @param threads that sent or received
   */
  record Task(
      NodeArgs.Role role,
      String node,
      int run,
      String queue,
      Map<String, String> params,
      Map<String, String> settings,
      int firstSender,
      int threads) {}

  /**
   * When it does it.
   *
   * @param startMillis the agreed start, milliseconds since 1970
   * @param warmupSeconds not measured, from then on
   * @param measuredSeconds measured, after that
   * @param idleSeconds that a receiver waited for more
   */
  record Times(long startMillis, long warmupSeconds, long measuredSeconds, long idleSeconds) {}

  /**
   * What the adapter promised.
   *
   * @param mode the mode's name; empty in the file that is written at the start
   * @param traits null in the file that is written at the start
   */
  record Promise(String mode, @Nullable DeclaredTraits traits) {
    static final Promise UNKNOWN = new Promise("", null);
  }

  /**
   * What it did.
   *
   * @param before clock against the reference before the run; null if not compared
   * @param after the same after the run
   * @param stoppedMillis when the last send had its outcome, or the last receiver gave up waiting
   * @param drained whether a receiver got everything that was there
   * @param messages confirmed or received, in all
   * @param samples times that were measured
   * @param seconds since the agreed start, those in which something happened
   * @param cost what the process used in the measured time
   */
  record Done(
      @Nullable ClockOffset before,
      @Nullable ClockOffset after,
      long stoppedMillis,
      boolean drained,
      long messages,
      long samples,
      List<Span> seconds,
      ProcessCost cost) {
    static final Done NOTHING = new Done(null, null, 0, false, 0, 0, List.of(), ProcessCost.NONE);
  }

  /**
   * What went wrong.
   *
   * @param failedSends messages whose send failed
   * @param lastFailure what the last failed send said; null if none failed
   * @param failedReceives receives that failed
   * @param failedAcks acks that failed
   */
  record Failures(
      long failedSends, @Nullable String lastFailure, long failedReceives, long failedAcks) {
    static final Failures NONE = new Failures(0, null, 0, 0);
  }

  /** A node that has not done anything yet. */
  static NodeFile started(NodeArgs args, Map<String, String> settings, Environment environment) {
    Map<String, String> params = new TreeMap<>(args.params());
    params.remove("settings"); // they may hold addresses and secrets
    return new NodeFile(
        SCHEMA,
        new Task(
            args.role(),
            args.node(),
            args.run(),
            args.queue(),
            params,
            settings,
            args.firstSender(),
            args.threads()),
        new Times(
            args.startMillis(),
            args.warmup().toSeconds(),
            args.measured().toSeconds(),
            args.idle().toSeconds()),
        environment,
        false,
        null,
        Promise.UNKNOWN,
        Done.NOTHING,
        Failures.NONE);
  }

  /** The same node, which did not do its part. */
  NodeFile failed(String why) {
    return new NodeFile(schema, task, times, environment, true, why, promise, done, failures);
  }

  /** The same node, which came to its end. */
  NodeFile ended(@Nullable String why, Promise made, Done work, Failures counted) {
    return new NodeFile(schema, task, times, environment, true, why, made, work, counted);
  }

  /** The system that all nodes shared; empty if the file does not say. */
  String system() {
    return task.params.getOrDefault("system", "");
  }

  /** Length of every body; 0 if the file does not say. */
  int bodyBytes() {
    return Integer.parseInt(task.params.getOrDefault("bodyBytes", "0"));
  }

  /** Replaces this node's file as a whole. */
  void write(Path directory) throws IOException {
    Path part = directory.resolve(task.node + ".part");
    MAPPER.writeValue(part.toFile(), this);
    Files.move(
        part,
        directory.resolve(task.node + SUFFIX),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Reads a node's file.
   *
   * @throws IOException if it cannot be read, or is not whole
   */
  static NodeFile read(Path file) throws IOException {
    try {
      NodeFile node = MAPPER.readValue(file.toFile(), NodeFile.class);
      if (node.schema != SCHEMA) {
        throw new IOException(
            "it is of schema %d, and this version reads %d".formatted(node.schema, SCHEMA));
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new IOException("it is not a whole file of a node", e);
    }
  }
}
