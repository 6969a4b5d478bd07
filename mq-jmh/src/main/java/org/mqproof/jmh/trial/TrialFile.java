package org.mqproof.jmh.trial;

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
import org.mqproof.jmh.measure.ThreadTimes;
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
 * @param setup what was measured
 * @param verdict null if there was no ledger
 * @param ledgerBytes heap that the ledger's sets held at the end; 0 if there was none
 * @param latencies of this fork
 * @param measured what the measured iterations gave together
 * @param failures what went wrong and was counted
 * @param pace how an open loop kept to its schedule; null for a closed loop
 */
public record TrialFile(
    String benchmark,
    Map<String, String> params,
    long startedAtMillis,
    boolean ended,
    @Nullable String failure,
    Setup setup,
    @Nullable Verdict verdict,
    long ledgerBytes,
    Latencies latencies,
    Measured measured,
    Failures failures,
    @Nullable Pace pace) {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String FOLDER = "trials";
  private static final String SUFFIX = ".json";

  /**
   * What was measured.
   *
   * @param senders sender threads
   * @param receivers receiver threads
   * @param mode the mode's name; empty in the file that is written at the start
   * @param traits what the adapter promised; null in the file that is written at the start
   */
  public record Setup(int senders, int receivers, String mode, @Nullable DeclaredTraits traits) {
    static final Setup UNKNOWN = new Setup(0, 0, "", null);
  }

  /**
   * Times, and the seconds in which they were taken.
   *
   * @param send what {@link Distribution#encode} made
   * @param processing what {@link Distribution#encode} made
   * @param tails those of the latencies, by kind and by length of the window in seconds
   * @param seconds the timeline
   */
  public record Latencies(
      List<String> send,
      List<String> processing,
      Map<Timeline.Kind, Map<Integer, List<Windows.Tail>>> tails,
      List<Second> seconds) {
    static final Latencies NONE = new Latencies(List.of(), List.of(), Map.of(), List.of());
  }

  /**
   * What all measured iterations gave together.
   *
   * @param cost what the process used
   * @param machine what the whole machine did with its processor time meanwhile
   * @param lag how late threads of the process were woken, what {@link Distribution#encode} made
   * @param messages that the cost was for
   * @param nanos time that was measured
   * @param counts what each iteration counted, in their order
   * @param heldNanos for how long of it a sender was held back, on average
   */
  public record Measured(
      ProcessCost cost,
      MachineTime machine,
      ThreadTimes.Busiest busiest,
      List<String> lag,
      long messages,
      long nanos,
      List<Counts> counts,
      long heldNanos) {
    static final Measured NOTHING =
        new Measured(
            ProcessCost.NONE,
            MachineTime.NONE,
            ThreadTimes.Busiest.UNKNOWN,
            List.of(),
            0,
            0,
            List.of(),
            0);
  }

  /**
   * What went wrong.
   *
   * @param sends messages whose send failed
   * @param lastSend what the last failed send said; null if none failed
   * @param receives receives that failed
   * @param acks acks that failed
   */
  public record Failures(long sends, @Nullable String lastSend, long receives, long acks) {
    static final Failures NONE = new Failures(0, null, 0, 0);
  }

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
  public record Pace(
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
   * @param acked messages whose ack completed
   * @param ackedNanos how long that took
   */
  public record Counts(long confirmed, long received, long nanos, long acked, long ackedNanos) {

    /** Messages per second. */
    public double confirmedPerSecond() {
      return perSecond(confirmed, nanos);
    }

    /** Messages per second. */
    public double receivedPerSecond() {
      return perSecond(received, nanos);
    }

    /** Messages per second. */
    public double ackedPerSecond() {
      return perSecond(acked, ackedNanos);
    }

    private static double perSecond(long messages, long nanos) {
      return messages * 1e9 / Math.max(1, nanos);
    }
  }

  /**
   * A trial without a result.
   *
   * @param failure why, one sentence; null if it only begins
   */
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
        Setup.UNKNOWN,
        null,
        0,
        Latencies.NONE,
        Measured.NOTHING,
        Failures.NONE,
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
  public static List<TrialFile> readAll(Path directory, long runStartedAtMillis)
      throws IOException {
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
