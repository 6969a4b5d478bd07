package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.Traits;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Latency;
import org.mqproof.report.OpenLoop;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.SelfCheck;
import org.mqproof.report.SelfCheck.Kind;
import org.mqproof.report.Throughput;

/** Every check fires once, on a row that is otherwise as good as the one on which none does. */
class ValidityChecksTest {

  private static final long NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int CORES = 4;

  @Test
  void nothingSpeaksAgainstAGoodRow() {
    Row row = ValidityChecks.checked(row("kafka", 1_000, 1_000, 1_000, 1), client(0.79, 0.09, 9));

    assertThat(row.doubts()).isEmpty();
    SelfCheck check = Objects.requireNonNull(row.proof().selfCheck());
    assertThat(check.drift()).isNotNull();
    assertThat(check.ceilingShare()).as("no row of the run to hold it against").isNull();
  }

  @Test
  void aClientThatUsesAllCores() {
    doubts(row("kafka", 1_000, 1_000, 1_000, 1), client(0.81, 0, 1), Kind.CLIENT, "81 %");
  }

  @Test
  void aClientOfWhichOneThreadHasNoMoreTime() {
    ValidityChecks.Client client =
        new ValidityChecks.Client(
            new ProcessCost(NANOS, 0, 0), // a quarter of all cores
            new ThreadTimes.Busiest("sender-1", (long) (0.91 * NANOS)),
            NANOS,
            CORES,
            new Distribution(),
            MachineTime.NONE);
    doubts(row("kafka", 1_000, 1_000, 1_000, 1), client, Kind.CLIENT, "sender-1, was busy for 91");
  }

  @Test
  void aClientWhoseCollectorsWork() {
    doubts(row("kafka", 1_000, 1_000, 1_000, 1), client(0.1, 0.11, 1), Kind.CLIENT, "11 %");
  }

  @Test
  void aClientThatIsWokenLate() {
    doubts(row("kafka", 1_000, 1_000, 1_000, 1), client(0.1, 0, 11), Kind.CLIENT, "11 ms");
  }

  @Test
  void aMachineWhoseHostGivesItsTimeToOthers() {
    doubts(
        row("kafka", 1_000, 1_000, 1_000, 1),
        client(new MachineTime(100, 6, 1, 0)),
        Kind.CLIENT,
        "6 %");
    Row row =
        ValidityChecks.checked(
            row("kafka", 1_000, 1_000, 1_000, 1), client(new MachineTime(100, 5, 4, 1)));

    assertThat(row.doubts()).isEmpty();
    SelfCheck check = Objects.requireNonNull(row.proof().selfCheck());
    assertThat(check.stealShare()).isEqualTo(0.05);
    assertThat(check.pressureShare()).isEqualTo(0.25);
  }

  @Test
  void whatNobodyLookedForIsNoDoubt() {
    ValidityChecks.Client client =
        new ValidityChecks.Client(
            ProcessCost.NONE,
            ThreadTimes.Busiest.UNKNOWN,
            0,
            CORES,
            new Distribution(),
            MachineTime.NONE);
    Row row = ValidityChecks.checked(row("kafka", 1_000, 1_000, 1_000, 1), client);

    assertThat(row.doubts()).isEmpty();
    SelfCheck check = Objects.requireNonNull(row.proof().selfCheck());
    assertThat(check.schedulerLagP99Nanos()).isNull();
    assertThat(check.threadShare()).isNull();
  }

  @Test
  void aRateThatDrifts() {
    doubts(row("kafka", 1_000, 2_000, 1_000, 0.4), client(0.1, 0, 1), Kind.UNSTEADY, "rose by");
    doubts(row("kafka", 2_000, 1_000, 2_000, 0.4), client(0.1, 0, 1), Kind.UNSTEADY, "fell by");
  }

  @Test
  void receiversThatFallBehind() {
    doubts(row("kafka", 1_000, 1_000, 940, 1), client(0.1, 0, 1), Kind.BEHIND, "94 %");
    assertThat(
            ValidityChecks.checked(row("kafka", 1_000, 1_000, 960, 1), client(0.1, 0, 1)).doubts())
        .isEmpty();
  }

  /** One sender, a batch of one at a time: 1,000 a second cannot take 5 ms each. */
  @Test
  void aLatencyThatLittlesLawForbids() {
    doubts(
        row("kafka", 1_000, 1_000, 1_000, 5),
        client(0.1, 0, 1),
        Kind.CONTRADICTION,
        "Little's law");
  }

  @Test
  void aRateNearTheHarnessOwn() {
    Row ceiling = ValidityChecks.checked(row("memory", 2_100, 2_100, 2_100, 0.1), client(0, 0, 1));
    Row far = ValidityChecks.checked(row("kafka", 1_000, 1_000, 1_000, 1), client(0, 0, 1));
    Row near = ValidityChecks.checked(row("artemis", 1_100, 1_100, 1_100, 0.9), client(0, 0, 1));

    List<Row> rows = ValidityChecks.calibrated(List.of(ceiling, far, near));

    assertThat(rows.get(0).doubts()).isEmpty();
    assertThat(rows.get(1).doubts()).isEmpty();
    assertThat(Objects.requireNonNull(rows.get(1).proof().selfCheck()).ceilingShare())
        .isEqualTo(1_000 / 2_100.0);
    assertThat(rows.get(2).doubts())
        .singleElement()
        .extracting(SelfCheck.Doubt::kind)
        .isEqualTo(Kind.CLIENT);
  }

  @Test
  void anOpenLoopWhoseResponseTimeIsTheHarnessOwn() {
    Row ceiling =
        ValidityChecks.checked(openLoop(row("memory", 100, 100, 100, 1), 100), client(0, 0, 1));
    Row far =
        ValidityChecks.checked(openLoop(row("kafka", 100, 100, 100, 1), 200), client(0, 0, 1));
    Row near =
        ValidityChecks.checked(openLoop(row("artemis", 100, 100, 100, 1), 190), client(0, 0, 1));

    List<Row> rows = ValidityChecks.calibrated(List.of(far, near, ceiling));

    assertThat(Objects.requireNonNull(rows.get(0).proof().selfCheck()).ceilingShare())
        .isEqualTo(0.5);
    assertThat(rows.get(0).doubts()).isEmpty();
    assertThat(rows.get(1).doubts())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.sentence()).startsWith("harness-bound: "));
    assertThat(rows.get(2)).isEqualTo(ceiling);
  }

  /** The same rate in all, as it was asked for. */
  private static Row openLoop(Row row, long p99Nanos) {
    Latency response =
        new Latency(
            100,
            0,
            p99Nanos,
            (double) p99Nanos,
            p99Nanos,
            p99Nanos,
            p99Nanos,
            p99Nanos,
            p99Nanos,
            List.of(),
            null,
            null);
    return new Row(
        row.load(),
        row.target(),
        row.rates(),
        new Row.Latencies(null, null, new OpenLoop(100, "constant", 100, 0, response, null, null)),
        row.timeline(),
        row.cost(),
        row.proof());
  }

  private static void doubts(Row row, ValidityChecks.Client client, Kind kind, String figure) {
    assertThat(ValidityChecks.checked(row, client).doubts())
        .as("one doubt, and no other")
        .singleElement()
        .satisfies(
            doubt -> {
              assertThat(doubt.kind()).isEqualTo(kind);
              assertThat(doubt.sentence()).contains(figure);
            });
  }

  private static ValidityChecks.Client client(MachineTime machine) {
    return new ValidityChecks.Client(
        ProcessCost.NONE, ThreadTimes.Busiest.UNKNOWN, NANOS, CORES, new Distribution(), machine);
  }

  private static ValidityChecks.Client client(double cpuShare, double gcShare, long lagMillis) {
    Distribution lag = new Distribution();
    lag.record(0, 98);
    lag.record(TimeUnit.MILLISECONDS.toNanos(lagMillis), 2);
    return new ValidityChecks.Client(
        new ProcessCost((long) (cpuShare * NANOS * CORES), 0, (long) (gcShare * NANOS / 1e6)),
        new ThreadTimes.Busiest("sender-1", NANOS / 2),
        NANOS,
        CORES,
        lag,
        MachineTime.NONE);
  }

  /** A row of 20 s whose rate goes in a straight line from one value to the other. */
  private static Row row(
      String system, double first, double last, double received, double sendMillis) {
    List<Second> timeline = new ArrayList<>();
    for (int second = 0; second < 20; second++) {
      double in = first + (last - first) * second / 19;
      double out = received / first * in;
      timeline.add(new Second(1, second, true, (long) in, (long) out, null, null, null));
    }
    double mean = (first + last) / 2;
    long nanos = (long) (sendMillis * 1e6);
    @Nullable Latency send =
        new Latency(
            20_000, 0, nanos, nanos, nanos, nanos, nanos, nanos, nanos, List.of(), null, null);
    return new Row(
        new Row.Load(
            "FlowBenchmark", Map.of("system", system, "batch", "1", "ledger", "false"), 1, 1),
        new Row.Target(
            system,
            "",
            system.equals("memory") ? 0 : 3,
            "none",
            DeclaredTraits.of(Traits.mode("none").build()),
            Map.of()),
        new Row.Rates(rate(mean), rate(mean * received / first)),
        new Row.Latencies(send, null, null),
        timeline,
        Row.Cost.NONE,
        Row.Proof.NONE);
  }

  private static Throughput rate(double messagesPerSecond) {
    return new Throughput(messagesPerSecond, null, 0.999, 0, List.of());
  }
}
