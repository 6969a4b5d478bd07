package org.mqproof.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Verdict;

/**
 * Results as a real run might give them, the same at every call. The numbers are made up: they have
 * the shape of measurements and are none. Stateless, thread-safe.
 */
final class SampleResults {

  static final String NASTY = "<script>alert('x')</script>&\"'><img src=//evil.example/x>";

  private SampleResults() {}

  static Environment environment() {
    return new Environment(
        "2026-11-21T09:30:00Z",
        "3 broker nodes and the clients on one machine, loopback",
        "Intel(R) Xeon(R) Platinum 8488C",
        2,
        24L << 30,
        List.of("nvme0n1: 900 GB, solid state", "temporary files on ext4"),
        "Linux 6.1.0",
        "OpenJDK 17.0.15",
        List.of("-Xmx2g", "-XX:+UseParallelGC"),
        Map.of("kafka", Map.of("server.properties", "node.id=1\nmin.insync.replicas=2")),
        "0.1.0",
        "0123abc");
  }

  /** What the main job measures: three benchmarks of one system, all well. */
  static Results kafka() {
    return new Results(
        environment(),
        List.of(
            row("SendBenchmark", "kafka", "acks=all", "1..10", 61_204, 1)
                .rates(true, false)
                .build(),
            row("ReceiveBenchmark", "kafka", "acks=all", "1..10", 184_310, 2)
                .rates(false, true)
                .build(),
            row("FlowBenchmark", "kafka", "acks=all", "1..10", 48_755, 3).build()));
  }

  /** The same over three round trips. */
  static Results roundTrips() {
    return new Results(
        environment(),
        List.of(
            RoundTripFitTest.row(0, 4_000, true),
            RoundTripFitTest.row(1, 2_000, true),
            RoundTripFitTest.row(100, 100, true)));
  }

  /** One open loop at five rates, of which the last two are too much. */
  static Results rates() {
    List<Row> rows = new ArrayList<>();
    for (int rate : new int[] {500, 1_000, 2_000, 5_000, 10_000}) {
      rows.add(
          row("OpenLoopBenchmark", "kafka", "acks=all", "1", rate, 1)
              .openLoop(rate, rate > 2_000 ? 80e6 : 2e6)
              .build());
    }
    return new Results(environment(), rows);
  }

  static Results oneRow() {
    return new Results(
        environment(),
        List.of(row("FlowBenchmark", "kafka", "acks=all", "1..10", 48_755, 3).build()));
  }

  /** Twelve rows of four systems, among them every standing there is. */
  static Results many() {
    List<Row> rows = new ArrayList<>();
    rows.add(row("FlowBenchmark", "kafka", "acks=all", "1..10", 48_755, 1).build());
    rows.add(row("FlowBenchmark", "kafka", "acks=all", "1..100", 171_002, 2).build());
    rows.add(row("FlowBenchmark", "kafka", "acks=1", "1..10", 88_140, 3).weak().lost(312).build());
    rows.add(row("FlowBenchmark", "kafka", "acks=1", "1..100", 262_881, 4).weak().build());
    rows.add(
        row("FlowBenchmark", "rabbitmq", "quorum", "1..10", 19_020, 5)
            .doubted(SelfCheck.Kind.CLIENT, "the measuring JVM used 91 % of all cores")
            .build());
    rows.add(row("FlowBenchmark", "rabbitmq", "quorum", "1..100", 31_871, 6).behind().build());
    rows.add(
        row("FlowBenchmark", "rabbitmq", "classic", "1..10", 27_513, 7).weak().undrained().build());
    rows.add(
        row("FlowBenchmark", "artemis", "NIO", "1..10", 9_380, 8)
            .failed("a fork ended before its trial")
            .build());
    rows.add(row("FlowBenchmark", "artemis", "MAPPED", "1..10", 21_406, 9).unverified().build());
    rows.add(row("FlowBenchmark", "mongodb", "majority", "1..10", 2_410, 10).skewed().build());
    rows.add(
        row("SendBenchmark", "kafka", "acks=all", "1..10", 61_204, 11).rates(true, false).build());
    rows.add(row("FlowBenchmark", "memory", "", "1..10", 2_145_300, 12).inJvm().build());
    return new Results(environment(), rows);
  }

  /** Names and settings that nobody should use, and nobody can forbid. */
  static Results nasty() {
    return new Results(
        environment(),
        List.of(
            row("FlowBenchmark", "kafka", "acks=all", NASTY, 48_755, 1)
                .setting("sasl.jaas", "x".repeat(900))
                .setting("with spaces", "one two three ".repeat(60))
                .setting(NASTY, NASTY)
                .setting("controls", "a\u0000b\u001b[31m\ud800c\u202egnol")
                .note(NASTY)
                .lost(7)
                .build(),
            row(
                    "FlowBenchmark",
                    "kafka-with-a-very-long-name-that-does-not-end",
                    "acks=all,linger=5ms,compression=zstd",
                    "1..10",
                    51_755,
                    2)
                .build()));
  }

  /** Every field of the model, and short lists: the sample of the documentation. */
  static Results documented() {
    Row lost = row("FlowBenchmark", "kafka", "acks=1", "1..10", 88_140, 3).weak().lost(312).build();
    Row shorter =
        new Row(
            lost.load(),
            lost.target(),
            lost.rates(),
            new Row.Latencies(
                shorter(lost.latencies().send()),
                shorter(lost.latencies().processing()),
                new OpenLoop(
                    5_000,
                    "poisson",
                    20_000,
                    0,
                    shorter(lost.latencies().send()),
                    List.of(1_000_000L, 1_100_000L),
                    shorter(lost.latencies().send()))),
            lost.timeline().subList(9, 12),
            lost.cost(),
            new Row.Proof(
                lost.proof().verdict(),
                new SelfCheck(
                    0.31,
                    0.52,
                    0.02,
                    1_210_000L,
                    0.01,
                    0.4,
                    0.04,
                    new Drift(0.18, 3.1, 36),
                    List.of(
                        new SelfCheck.Doubt(
                            SelfCheck.Kind.UNSTEADY,
                            "the rate was not steady: it rose by 18 % (made up)"))),
                List.of("The numbers of this file are made up.")));
    return new Results(
        environment(),
        List.of(shorter),
        new Published(
            "S0, SoftwareMill 2017 (this file's figures are made up)",
            List.of(new Published.Figure("kafka-039", "send p95, ms", 48, 1, 0.0635, 47.5)),
            List.of("Brokers and clients share one machine.")));
  }

  private static Latency shorter(@Nullable Latency latency) {
    Objects.requireNonNull(latency);
    List<Latency.Point> points = new ArrayList<>();
    for (int i = 0; i < latency.curve().size(); i += 25) {
      points.add(latency.curve().get(i));
    }
    return new Latency(
        latency.count(),
        latency.negatives(),
        latency.minNanos(),
        latency.meanNanos(),
        latency.p50Nanos(),
        latency.p95Nanos(),
        latency.p99Nanos(),
        latency.p999Nanos(),
        latency.maxNanos(),
        points,
        latency.p95BucketedNanos(),
        latency.windows());
  }

  /** Rates and nothing else. */
  static Results bare() {
    return new Results(
        environment(),
        List.of(
            row("SendBenchmark", "memory", "", "1..10", 3_145_300, 1)
                .rates(true, false)
                .inJvm()
                .bare()
                .build(),
            row("SendBenchmark", "kafka", "acks=all", "1..10", 48_300, 2)
                .rates(true, false)
                .bare()
                .build()));
  }

  static Builder row(
      String benchmark, String system, String mode, String batch, double rate, int seed) {
    return new Builder(benchmark, system, mode, batch, rate, seed);
  }

  static final class Builder {

    private final String benchmark;
    private final String system;
    private final String mode;
    private final String batch;
    private final double rate;
    private final Random random;
    private final Map<String, String> settings = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();
    private @Nullable SelfCheck selfCheck;
    private boolean sends = true;
    private boolean receives = true;
    private boolean awaited = true;
    private boolean bare;
    private double @Nullable [] forks;
    private @Nullable OpenLoop openLoop;
    private boolean behind;
    private boolean drained = true;
    private boolean verified = true;
    private long lost;
    private long negatives;
    private int nodes = 3;

    private Builder(
        String benchmark, String system, String mode, String batch, double rate, int seed) {
      this.benchmark = benchmark;
      this.system = system;
      this.mode = mode;
      this.batch = batch;
      this.rate = rate;
      random = new Random(seed);
      settings.put("endpoints", "127.0.0.1:19092,127.0.0.1:19093,127.0.0.1:19094");
      settings.put("partitions", "12");
    }

    /** Exactly these rates: one iteration of each fork. */
    Builder forks(double... rates) {
      forks = rates;
      return this;
    }

    Builder openLoop(double asked, double medianNanos) {
      openLoop = new OpenLoop(asked, "constant", 1_000, 0, latency(medianNanos, 1_000), null, null);
      return this;
    }

    Builder openLoop(double asked, double medianNanos, List<Long> p99NanosByFork) {
      openLoop =
          new OpenLoop(
              asked, "constant", 1_000, 0, latency(medianNanos, 1_000), p99NanosByFork, null);
      return this;
    }

    Builder rates(boolean sends, boolean receives) {
      this.sends = sends;
      this.receives = receives;
      return this;
    }

    Builder weak() {
      awaited = false;
      return this;
    }

    Builder lost(long lost) {
      this.lost = lost;
      return this;
    }

    Builder undrained() {
      drained = false;
      return this;
    }

    Builder unverified() {
      verified = false;
      notes.add("The ledger was off.");
      return this;
    }

    Builder behind() {
      behind = true;
      return this;
    }

    Builder skewed() {
      negatives = 17;
      return this;
    }

    Builder inJvm() {
      nodes = 0;
      awaited = false;
      settings.clear();
      return this;
    }

    Builder bare() {
      bare = true;
      verified = false;
      return this;
    }

    Builder setting(String key, String value) {
      settings.put(key, value);
      return this;
    }

    Builder doubted(SelfCheck.Kind kind, String sentence) {
      selfCheck =
          new SelfCheck(
              0.91,
              null,
              0.02,
              1_210_000L,
              null,
              null,
              null,
              null,
              List.of(new SelfCheck.Doubt(kind, sentence)));
      return this;
    }

    Builder failed(String why) {
      verified = false;
      notes.add(Row.FAILED + why);
      return this;
    }

    Builder note(String note) {
      notes.add(note);
      return this;
    }

    Row build() {
      Throughput received = receives ? throughput(behind ? 0.7 * rate : rate) : null;
      Throughput sent = sends ? throughput(rate * (receives ? 1.004 : 1)) : null;
      Latency send = sends && !bare ? latency(35e6 / rate * 100, (long) (rate * 9)) : null;
      Latency processing =
          sends && receives && !bare ? latency(700e6 / rate * 100, (long) (rate * 50)) : null;
      return new Row(
          new Row.Load(
              benchmark,
              Map.of("batch", batch, "body", "100 B", "system", system),
              sends ? 1 : 0,
              receives ? 1 : 0),
          new Row.Target(
              system,
              nodes == 0 ? "" : "4.1.0",
              nodes,
              mode,
              new DeclaredTraits(
                  nodes > 0,
                  nodes > 0 ? 3 : 1,
                  awaited,
                  null,
                  45_000,
                  Ordering.PER_SENDER,
                  system.equals("kafka") ? AckMode.WHOLE_PREFIX : AckMode.SELECTIVE,
                  1 << 20,
                  Integer.MAX_VALUE,
                  system.equals("kafka") ? PowerCut.LOST : PowerCut.NOT_SHOWN,
                  null),
              settings),
          new Row.Rates(sent, received, bare ? null : received),
          new Row.Latencies(send, processing, openLoop),
          bare ? List.of() : timeline(),
          bare ? Row.Cost.NONE : new Row.Cost(3.4 * 50_000 / rate, 512.5, 184L, 0.05),
          new Row.Proof(verified ? verdict() : null, selfCheck, notes));
    }

    private Throughput throughput(double mean) {
      double @Nullable [] exact = forks;
      if (exact != null) {
        List<Throughput.Iteration> one =
            IntStream.range(0, exact.length)
                .mapToObj(i -> new Throughput.Iteration(i + 1, exact[i]))
                .toList();
        return new Throughput(mean, null, 0.999, mean * 100 / (1 << 20), one);
      }
      List<Throughput.Iteration> iterations = new ArrayList<>();
      for (int fork = 1; fork <= (bare ? 1 : 2); fork++) {
        for (int i = 0; i < (bare ? 2 : 5); i++) {
          iterations.add(new Throughput.Iteration(fork, mean * (1 + 0.03 * random.nextGaussian())));
        }
      }
      double average =
          iterations.stream()
              .mapToDouble(Throughput.Iteration::messagesPerSecond)
              .average()
              .orElseThrow();
      Double spread = bare ? null : Double.valueOf(average * (0.01 + 0.03 * random.nextDouble()));
      return new Throughput(average, spread, 0.999, average * 100 / (1 << 20), iterations);
    }

    /** Log-normal with a heavier tail, as queues have it. */
    private Latency latency(double median, long count) {
      List<Latency.Point> curve = new ArrayList<>();
      for (double nines = 0; nines <= 5; nines += 0.04) {
        double percentile = 100 * (1 - Math.pow(10, -nines));
        curve.add(new Latency.Point(percentile, at(median, nines)));
      }
      curve.add(new Latency.Point(100, at(median, 5.5)));
      return new Latency(
          count,
          negatives,
          negatives > 0 ? -183_000 : at(median, 0),
          median * 1.3,
          at(median, 0.301),
          at(median, 1.301),
          at(median, 2),
          at(median, 3),
          at(median, 5.5),
          curve,
          47_500_000L,
          List.of(window(1, 36, median), window(60, 2, median)));
    }

    private Latency.Window window(int seconds, int count, double median) {
      return new Latency.Window(
          seconds, count, at(median, 1.2), at(median, 1.5), at(median, 1.9), at(median, 2.4));
    }

    private long at(double median, double nines) {
      return (long) (median * 0.55 * Math.exp(0.8 * nines + 0.012 * nines * nines * nines));
    }

    private List<Second> timeline() {
      List<Second> seconds = new ArrayList<>();
      for (int fork = 1; fork <= 2; fork++) {
        double backlog = 0;
        for (int second = 0; second < 30; second++) {
          double warm = Math.min(1, 0.35 + second / 8.0);
          double dip = second == 21 && fork == 1 ? 0.3 : 1;
          double sentRate = sends ? rate * warm * dip * (1 + 0.05 * random.nextGaussian()) : 0;
          double receivedRate =
              receives ? (sends ? sentRate * (behind ? 0.7 : 1) : rate * warm) : 0;
          backlog =
              sends && receives
                  ? (behind ? backlog + sentRate - receivedRate : 40 + random.nextInt(400))
                  : 0;
          double median = 280e6 / rate * 100 / dip / dip;
          Long send =
              sends ? Long.valueOf((long) (median * 4 * (1 + 0.2 * random.nextDouble()))) : null;
          Long processing =
              sends && receives
                  ? Long.valueOf((long) (median * 9 * (1 + 0.3 * random.nextDouble())))
                  : null;
          seconds.add(
              new Second(
                  fork,
                  second,
                  second >= 10 && second < 28,
                  (long) sentRate,
                  (long) receivedRate,
                  send,
                  processing,
                  sends && receives ? Long.valueOf((long) backlog) : null));
        }
      }
      return seconds;
    }

    private Verdict verdict() {
      long attempted = (long) (rate * 60);
      List<String> examples =
          lost > 0
              ? List.of("lost: sender 0 sequences 1200-1406", "lost: sender 0 sequence 9001")
              : List.of();
      long missing = drained ? 0 : 4_711;
      return new Verdict(
          attempted,
          attempted - 12,
          0,
          12,
          attempted - lost - missing,
          attempted - lost - missing,
          lost,
          missing,
          0,
          0,
          12,
          0,
          0,
          0,
          drained,
          new Verdict.Acks(true, 0, 0, false),
          new Verdict.Anomalies(lost, 0, 0, 0, 0, 0),
          Expectations.AT_LEAST_ONCE.withOrder(Ordering.PER_SENDER),
          examples);
    }
  }
}
