package org.mqproof.jmh;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.BuildUp;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.MachineTime;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.measure.Windows;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Second;

/**
 * What a fork hands to the process that started it, as a file: one per trial, written once when it
 * starts, so that a fork that dies is missed, and again when it ends. Immutable.
 *
 * @param benchmark the benchmark's full name as JMH has it
 * @param params its parameters as JMH has them
 * @param startedAtMillis wall clock, milliseconds since 1970
 * @param ended false in the file that is written at the start
 * @param failure why there is no result, one sentence; null if there is one
 * @param senders sender threads
 * @param receivers receiver threads
 * @param mode the mode's name
 * @param traits what the adapter promised; null in the file that is written at the start
 * @param verdict null if there was no ledger
 * @param sendTimes what {@link Distribution#encode} made
 * @param processingTimes what {@link Distribution#encode} made
 * @param tails those of the latencies, by kind and by length of the window in seconds
 * @param seconds the timeline
 * @param cost what the process used while measuring
 * @param machine what the whole machine did with its processor time meanwhile
 * @param lagTimes how late threads of the process were woken, what {@link Distribution#encode} made
 * @param messages that the cost was for
 * @param measuredNanos time that was measured, of all iterations
 * @param counts what each measured iteration counted, in their order
 * @param heldNanos for how long of it a sender was held back, on average
 * @param failedSends messages whose send failed
 * @param lastFailure what the last failed send said; null if none failed
 * @param failedReceives receives that failed
 * @param failedAcks acks that failed
 * @param pace how an open loop kept to its schedule; null for a closed loop
 */
record TrialFile(
    String benchmark,
    Map<String, String> params,
    long startedAtMillis,
    boolean ended,
    @Nullable String failure,
    int senders,
    int receivers,
    String mode,
    @Nullable DeclaredTraits traits,
    @Nullable Verdict verdict,
    List<String> sendTimes,
    List<String> processingTimes,
    Map<Timeline.Kind, Map<Integer, List<Windows.Tail>>> tails,
    List<Second> seconds,
    ProcessCost cost,
    MachineTime machine,
    List<String> lagTimes,
    long messages,
    long measuredNanos,
    List<Counts> counts,
    long heldNanos,
    long failedSends,
    @Nullable String lastFailure,
    long failedReceives,
    long failedAcks,
    @Nullable Pace pace) {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String FOLDER = "trials";
  private static final String SUFFIX = ".json";

  /**
   * How an open loop kept to its schedule, in the measured iterations.
   *
   * @param responseTimes what {@link Distribution#encode} made
   * @param latenessTimes what {@link Distribution#encode} made
   * @param begun sends that were due and were begun
   * @param unsent sends that were due and were not begun
   * @param dropped deliveries that were not acked on purpose
   * @param toBuild measured iterations in which a backlog was to build up
   * @param drained those that were built and drained within their iteration
   */
  record Pace(
      List<String> responseTimes,
      List<String> latenessTimes,
      long begun,
      long unsent,
      long dropped,
      long toBuild,
      List<BuildUp.Drained> drained) {}

  /**
   * What one measured iteration counted, from the moment when all threads began until all had come
   * to its end.
   *
   * @param confirmed messages known to be safe
   * @param received messages received
   * @param nanos how long it took
   */
  record Counts(long confirmed, long received, long nanos) {}

  static TrialFile started(String benchmark, Map<String, String> params, long startedAtMillis) {
    return failed(benchmark, params, startedAtMillis, null);
  }

  static TrialFile failed(
      String benchmark,
      Map<String, String> params,
      long startedAtMillis,
      @Nullable String failure) {
    return new TrialFile(
        benchmark,
        params,
        startedAtMillis,
        failure != null,
        failure,
        0,
        0,
        "",
        null,
        null,
        List.of(),
        List.of(),
        Map.of(),
        List.of(),
        ProcessCost.NONE,
        MachineTime.NONE,
        List.of(),
        0,
        0,
        List.of(),
        0,
        0,
        null,
        0,
        0,
        null);
  }

  /** Replaces the file of this trial as a whole. */
  void write(Path directory, String trial) throws IOException {
    Path folder = Files.createDirectories(directory.resolve(FOLDER));
    Path part = folder.resolve(trial + ".part");
    MAPPER.writeValue(part.toFile(), this);
    Files.move(
        part,
        folder.resolve(trial + SUFFIX),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * The trials of one run, in the order in which they started.
   *
   * @param runStartedAtMillis leaves out what an earlier run wrote to the same directory
   */
  static List<TrialFile> readAll(Path directory, long runStartedAtMillis) throws IOException {
    List<TrialFile> trials = new ArrayList<>();
    Path folder = Files.createDirectories(directory.resolve(FOLDER));
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(SUFFIX)).toList()) {
        TrialFile trial = MAPPER.readValue(file.toFile(), TrialFile.class);
        if (trial.startedAtMillis() >= runStartedAtMillis) {
          trials.add(trial);
        }
      }
    }
    trials.sort(Comparator.comparingLong(TrialFile::startedAtMillis));
    return trials;
  }
}
