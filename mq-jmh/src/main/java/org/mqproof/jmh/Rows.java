package org.mqproof.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.mqproof.Traits;
import org.mqproof.cluster.Cluster;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.MachineTime;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.ThreadTimes;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.measure.ValidityChecks;
import org.mqproof.jmh.measure.Windows;
import org.mqproof.jmh.systems.Endpoints;
import org.mqproof.jmh.systems.ForkOptions;
import org.mqproof.jmh.systems.PublishedSettings;
import org.mqproof.jmh.systems.Systems;
import org.mqproof.jmh.trial.Punctuality;
import org.mqproof.jmh.trial.TrialFile;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.OpenLoop;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.Throughput;
import org.mqproof.spi.MqProvider;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.ListStatistics;

/** Puts what JMH measured and what the trials wrote together. For one thread. */
final class Rows {

  /** Share of the time from which being held back decides what the latency is. */
  private static final double HELD_NOTE = 0.05;

  /** JMH's counter of confirmed messages. */
  private static final String SENT = "sent";

  /** From this difference on, as a part of our rate, a row tells JMH's as well. */
  private static final double JMH_NOTE = 0.05;

  /** From this share of acks that are missing on, a row tells their rate as well. */
  private static final double ACKS_NOTE = 0.05;

  private final Systems systems;
  private final ForkOptions fork;
  private final List<TrialFile> trials;

  Rows(Systems systems, ForkOptions fork, List<TrialFile> trials) {
    this.systems = systems;
    this.fork = fork;
    this.trials = trials;
  }

  /**
   * One row per result of JMH, in its order, and one per benchmark that has none because it failed.
   */
  List<Row> of(Collection<RunResult> results) {
    List<Row> rows = new ArrayList<>();
    List<TrialFile> seen = new ArrayList<>();
    for (RunResult result : results) {
      BenchmarkParams benchmark = result.getParams();
      Map<String, String> params = params(benchmark);
      List<TrialFile> mine =
          trials.stream()
              .filter(t -> t.benchmark().equals(benchmark.getBenchmark()))
              .filter(t -> t.params().equals(params))
              .toList();
      seen.addAll(mine);
      // Warm-up forks come first; they count for the verdict only.
      int measured = Math.min(mine.size(), result.getBenchmarkResults().size());
      rows.add(row(result, params, mine, mine.subList(mine.size() - measured, mine.size())));
    }
    Map<List<Object>, TrialFile> failed = new LinkedHashMap<>();
    for (TrialFile trial : trials) {
      if (!seen.contains(trial)) {
        failed.putIfAbsent(List.of(trial.benchmark(), trial.params()), trial);
      }
    }
    failed.values().stream().map(this::failed).forEach(rows::add);
    return rows;
  }

  private Row row(
      RunResult result, Map<String, String> params, List<TrialFile> all, List<TrialFile> measured) {
    Distribution send = new Distribution();
    Distribution processing = new Distribution();
    List<Second> timeline = new ArrayList<>();
    ProcessCost cost = ProcessCost.NONE;
    long messages = 0;
    long nanos = 0;
    long held = 0;
    int fork = 0;
    Distribution response = new Distribution();
    Distribution lateness = new Distribution();
    Distribution lag = new Distribution();
    MachineTime machine = MachineTime.NONE;
    ThreadTimes.Busiest busiest = ThreadTimes.Busiest.UNKNOWN;
    List<Long> responseP99s = new ArrayList<>();
    long begun = 0;
    long unsent = 0;
    for (TrialFile trial : measured) {
      fork++;
      if (!trial.latencies().send().isEmpty()) {
        send.add(Distribution.decode(trial.latencies().send()));
        processing.add(Distribution.decode(trial.latencies().processing()));
      }
      for (Second s : trial.latencies().seconds()) {
        timeline.add(
            new Second(
                fork,
                s.second(),
                s.measured(),
                s.sent(),
                s.received(),
                s.sendP99Nanos(),
                s.processingP99Nanos(),
                s.backlog()));
      }
      cost = cost.plus(trial.measured().cost());
      machine = machine.plus(trial.measured().machine());
      busiest = busiest.plus(trial.measured().busiest());
      if (!trial.measured().lag().isEmpty()) {
        lag.add(Distribution.decode(trial.measured().lag()));
      }
      TrialFile.Pace pace = trial.pace();
      if (pace != null) {
        Distribution own = Distribution.decode(pace.responseTimes());
        response.add(own);
        responseP99s.add(own.atPercentile(99));
        lateness.add(Distribution.decode(pace.latenessTimes()));
        begun += pace.begun();
        unsent += pace.unsent();
      }
      messages += trial.measured().messages();
      nanos += trial.measured().nanos();
      held += trial.measured().heldNanos();
    }
    TrialParams parsed = TrialParams.of(params);
    @Nullable TrialFile last = all.isEmpty() ? null : all.get(all.size() - 1);
    @Nullable Throughput sent =
        throughput(result, SENT, measured, TrialFile.Counts::confirmedPerSecond, parsed);
    @Nullable Throughput received =
        throughput(
            result, ResultProfiler.RECEIVED, measured, TrialFile.Counts::receivedPerSecond, parsed);
    @Nullable Throughput acked = received == null ? null : acked(measured, parsed);
    if (sent == null && received == null) {
      sent = Throughput.of(0, null, 0, List.of());
    }
    Verdict verdict = verdict(all);
    List<String> notes = notes(all, nanos, held);
    notes.addAll(
        received == null
            ? noteOfJmh(sent, result, SENT)
            : noteOfJmh(received, result, ResultProfiler.RECEIVED));
    @Nullable OpenLoop openLoop = null;
    if (measured.stream().anyMatch(trial -> trial.pace() != null)) {
      openLoop =
          new OpenLoop(
              parsed.rate(),
              parsed.arrivals().toString(),
              begun + unsent,
              unsent,
              response.summary(tails(measured, Timeline.Kind.RESPONSE)),
              responseP99s,
              lateness.summary(tails(measured, Timeline.Kind.LATENESS)));
      notes.addAll(Punctuality.notes(openLoop));
      notes.addAll(Punctuality.notes(measured));
    }
    notes.addAll(notesOfReceivers(received, acked, parsed, last));
    notes.addAll(doubts(received == null ? sent : received, verdict, parsed.ledger()));
    Row row =
        new Row(
            load(result.getParams().getBenchmark(), params, last),
            target(parsed, last),
            new Row.Rates(sent, received, acked),
            new Row.Latencies(
                send.summary(tails(measured, Timeline.Kind.SEND)),
                processing.summary(tails(measured, Timeline.Kind.PROCESSING)),
                openLoop),
            timeline,
            new Row.Cost(
                messages == 0 ? null : cost.cpuNanos() / 1e3 / messages,
                messages == 0 ? null : (double) cost.allocatedBytes() / messages,
                cost.gcMillis(),
                verdict == null || verdict.attempted() == 0
                    ? null
                    : (double) all.stream().mapToLong(TrialFile::ledgerBytes).sum()
                        / verdict.attempted()),
            new Row.Proof(verdict, null, notes));
    return ValidityChecks.checked(
        row,
        new ValidityChecks.Client(
            cost, busiest, nanos, Runtime.getRuntime().availableProcessors(), lag, machine));
  }

  /** The windows of all forks. */
  private static Map<Integer, List<Windows.Tail>> tails(
      List<TrialFile> trials, Timeline.Kind kind) {
    Map<Integer, List<Windows.Tail>> all = new TreeMap<>();
    for (TrialFile trial : trials) {
      trial
          .latencies()
          .tails()
          .getOrDefault(kind, Map.of())
          .forEach(
              (seconds, tails) ->
                  all.computeIfAbsent(seconds, s -> new ArrayList<>()).addAll(tails));
    }
    return all;
  }

  private Row failed(TrialFile trial) {
    String why = trial.failure() == null ? "its JVM ended before the trial" : trial.failure();
    return new Row(
        load(trial.benchmark(), trial.params(), trial),
        target(TrialParams.of(trial.params()), trial),
        new Row.Rates(Throughput.of(0, null, 0, List.of()), null),
        Row.Latencies.NONE,
        List.of(),
        Row.Cost.NONE,
        new Row.Proof(null, null, List.of(Row.FAILED + why)));
  }

  private static Row.Load load(
      String benchmark, Map<String, String> params, @Nullable TrialFile trial) {
    return new Row.Load(
        benchmark.replaceAll("^.*\\.(\\w+)\\.\\w+$", "$1"),
        PublishedSettings.params(params),
        trial == null ? 0 : trial.setup().senders(),
        trial == null ? 0 : trial.setup().receivers());
  }

  private Row.Target target(TrialParams params, @Nullable TrialFile trial) {
    Optional<Cluster> cluster = systems.cluster(params.system());
    boolean inside = Endpoints.inside(params.system());
    DeclaredTraits traits = trial == null ? null : trial.setup().traits();
    return new Row.Target(
        params.system(),
        cluster.map(Cluster::version).orElse(inside ? "" : "unknown"),
        cluster.map(Cluster::nodes).orElse(inside ? 0 : 1),
        trial == null || trial.setup().mode().isEmpty() ? "unknown" : trial.setup().mode(),
        traits == null ? DeclaredTraits.of(Traits.mode("unknown").build()) : traits,
        PublishedSettings.of(MqProvider.named(params.system()), fork.settings(params)));
  }

  static Map<String, String> params(BenchmarkParams benchmark) {
    Map<String, String> params = new TreeMap<>();
    for (String key : benchmark.getParamsKeys()) {
      params.put(key, benchmark.getParam(key));
    }
    return params;
  }

  /**
   * The rate of all forks, from what the trials counted. JMH's own rate is the sum of its threads',
   * each over a time of its own: where they wait for cores it can be more than was received at all.
   * It stands in for a fork whose trial did not end.
   *
   * @param label of JMH's counter
   * @return null if the benchmark has no such counter
   */
  private static @Nullable Throughput throughput(
      RunResult result,
      String label,
      List<TrialFile> trials,
      ToDoubleFunction<TrialFile.Counts> perSecond,
      TrialParams params) {
    if (result.getSecondaryResults().get(label) == null) {
      return null;
    }
    List<Throughput.Iteration> iterations = new ArrayList<>();
    int fork = 0;
    for (BenchmarkResult one : result.getBenchmarkResults()) {
      List<TrialFile.Counts> counts =
          trials.size() == result.getBenchmarkResults().size()
              ? trials.get(fork).measured().counts()
              : List.of();
      fork++;
      boolean counted = counts.size() == one.getIterationResults().size();
      int i = 0;
      for (IterationResult iteration : one.getIterationResults()) {
        double rate;
        if (counted) {
          rate = perSecond.applyAsDouble(counts.get(i));
        } else {
          Result<?> jmh = iteration.getSecondaryResults().get(label);
          rate = jmh == null ? 0 : jmh.getScore();
        }
        iterations.add(new Throughput.Iteration(fork, rate));
        i++;
      }
    }
    return throughput(iterations, params);
  }

  /** JMH knows none: only from what the trials counted, and null if one did not end. */
  private static @Nullable Throughput acked(List<TrialFile> trials, TrialParams params) {
    List<Throughput.Iteration> iterations = new ArrayList<>();
    int fork = 0;
    for (TrialFile trial : trials) {
      fork++;
      if (trial.measured().counts().isEmpty()) {
        return null;
      }
      for (TrialFile.Counts counts : trial.measured().counts()) {
        iterations.add(new Throughput.Iteration(fork, counts.ackedPerSecond()));
      }
    }
    return iterations.isEmpty() ? null : throughput(iterations, params);
  }

  private static Throughput throughput(List<Throughput.Iteration> iterations, TrialParams params) {
    ListStatistics statistics = new ListStatistics();
    iterations.forEach(iteration -> statistics.addValue(iteration.messagesPerSecond()));
    double error = statistics.getMeanErrorAt(Throughput.CONFIDENCE);
    return Throughput.of(
        statistics.getMean(),
        Double.isFinite(error) ? error : null,
        params.bodyBytes(),
        iterations);
  }

  /** Says so if JMH made another rate of the same messages. */
  private static List<String> noteOfJmh(@Nullable Throughput ours, RunResult result, String label) {
    Result<?> jmh = result.getSecondaryResults().get(label);
    if (ours == null
        || jmh == null
        || Math.abs(jmh.getScore() - ours.messagesPerSecond())
            <= JMH_NOTE * ours.messagesPerSecond()) {
      return List.of();
    }
    return List.of(
        String.format(
            Locale.ROOT,
            "JMH says %,.0f messages a second, by the times that its threads take each for themselves",
            jmh.getScore()));
  }

  /** All forks together; null if none was verified. */
  static @Nullable Verdict verdict(List<TrialFile> trials) {
    Verdict sum = null;
    for (TrialFile trial : trials) {
      Verdict one = trial.verdict();
      if (one != null) {
        sum = sum == null ? one : sum.plus(one);
      }
    }
    return sum;
  }

  private static List<String> notes(List<TrialFile> trials, long nanos, long heldNanos) {
    List<String> notes = new ArrayList<>();
    for (TrialFile trial : trials) {
      if (trial.failure() != null) {
        notes.add(Row.FAILED + trial.failure());
      } else if (!trial.ended()) {
        notes.add(Row.FAILED + "a fork ended before its trial");
      }
    }
    count(notes, "messages whose send failed", trials, trial -> trial.failures().sends());
    trials.stream()
        .map(trial -> trial.failures().lastSend())
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(failure -> notes.add("one failure: " + failure));
    count(notes, "receives that failed", trials, trial -> trial.failures().receives());
    count(notes, "acks that failed", trials, trial -> trial.failures().acks());
    if (nanos > 0 && (double) heldNanos / nanos > HELD_NOTE) {
      notes.add(
          "senders were held back for %.0f %% of the time: the receivers are the slower side, and the processing latency is mostly waiting in the queue"
              .formatted(100.0 * heldNanos / nanos));
    }
    return notes;
  }

  /** What the rate of receives alone does not say. */
  private static List<String> notesOfReceivers(
      @Nullable Throughput received,
      @Nullable Throughput acked,
      TrialParams params,
      @Nullable TrialFile trial) {
    List<String> notes = new ArrayList<>();
    if (received != null
        && acked != null
        && acked.messagesPerSecond() < (1 - ACKS_NOTE) * received.messagesPerSecond()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "of what was received while measuring, acks of %.0f %% completed: %,.0f messages a second",
              100 * acked.messagesPerSecond() / received.messagesPerSecond(),
              acked.messagesPerSecond()));
    }
    DeclaredTraits traits = trial == null ? null : trial.setup().traits();
    if (params.prefill() > 1
        && traits != null
        && !Endpoints.inside(params.system())
        && traits.mostInFlight() > params.leadIn()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "a receiver may fetch %,d messages before it is asked for them, and leadIn takes %,d of them out of the rate: a larger leadIn takes all",
              traits.mostInFlight(),
              params.leadIn()));
    }
    return notes;
  }

  /** What makes a row void that neither JMH nor the ledger minds. */
  static List<String> doubts(@Nullable Throughput rate, @Nullable Verdict verdict, boolean ledger) {
    List<String> doubts = new ArrayList<>();
    if (rate == null || rate.messagesPerSecond() == 0) {
      doubts.add(
          Row.FAILED
              + "no message got through while measuring; a longer iteration (-r) may see some");
    }
    if (verdict == null && ledger) {
      doubts.add(Row.FAILED + "a verdict was asked for and there is none");
    }
    return doubts;
  }

  private static void count(
      List<String> notes, String what, List<TrialFile> trials, ToLongFunction<TrialFile> field) {
    long sum = trials.stream().mapToLong(field).sum();
    if (sum > 0) {
      notes.add(String.format(Locale.ROOT, "%,d %s", sum, what));
    }
  }
}
