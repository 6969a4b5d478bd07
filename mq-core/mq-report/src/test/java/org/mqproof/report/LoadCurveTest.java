package org.mqproof.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mqproof.report.LoadCurve.Knee;

class LoadCurveTest {

  @Test
  void theKneeIsWhereTheTailStaysFourTimesTheLowest() {
    assertThat(only(rows(2e6, 1e6, 3e6, 5e6, 9e6)).knee()).isEqualTo(new Knee(3_000, 4_000));
    assertThat(only(rows(2e6, 1e6, 3.9e6)).knee()).as("not four times").isNull();
    assertThat(only(rows(1e6, 9e6, 1e6, 1e6)).knee()).as("it comes back").isNull();
    assertThat(LoadCurve.text(rows(1e6, 1e6, 9e6)))
        .isEqualTo("kafka acks=all, 1+1 threads: the knee is between 2,000 and 3,000 msgs/s\n");
    assertThat(LoadCurve.text(rows(1e6, 1e6, 1e6))).contains(": no knee up to 3,000 msgs/s");
  }

  @Test
  void aRateThatWasNotHeldIsBeyondTheKnee() {
    List<Row> rows = new ArrayList<>(rows(1e6, 1e6));
    OpenLoop held = requireNonNull(rows.get(0).latencies().openLoop());
    rows.add(
        with(rows.get(0), new OpenLoop(3_000, "constant", 1_000, 1, held.response(), null, null)));

    assertThat(only(rows).knee()).isEqualTo(new Knee(2_000, 3_000));
    assertThat(only(rows).points()).extracting(LoadCurve.Point::held).endsWith(false);
  }

  @Test
  void runsAtTheSameRateAreOnePoint() {
    List<Row> rows = new ArrayList<>(rows(1e6, 1e6, 1e6));
    rows.add(row(3_000, 3e6));
    rows.add(row(3_000, 50e6));

    LoadCurve curve = only(rows);
    assertThat(curve.points()).hasSize(3);
    assertThat(curve.points().get(2).p99Nanos())
        .isEqualTo((double) requireNonNull(OpenLoop.response(row(3_000, 3e6))).p99Nanos());
  }

  @Test
  void twoRatesAreNoCurveAndWhatIsVoidIsNoPoint() {
    assertThat(LoadCurve.of(rows(1e6, 1e6))).isEmpty();
    List<Row> rows = new ArrayList<>(rows(1e6, 1e6));
    rows.add(sample(3_000, 1e6).lost(1).build());
    assertThat(LoadCurve.of(rows)).isEmpty();
  }

  @Test
  void eachSystemHasItsOwn() {
    List<Row> rows = new ArrayList<>(rows(1e6, 1e6));
    rows.add(
        SampleResults.row("OpenLoopBenchmark", "artemis", "", "1", 100, 1)
            .openLoop(3_000, 1e6)
            .build());
    assertThat(LoadCurve.of(rows)).isEmpty();
  }

  private static LoadCurve only(List<Row> rows) {
    assertThat(LoadCurve.of(rows)).hasSize(1);
    return LoadCurve.of(rows).get(0);
  }

  /** At 1,000 messages a second, 2,000 and so on. */
  private static List<Row> rows(double... medianNanos) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < medianNanos.length; i++) {
      rows.add(row(1_000 * (i + 1), medianNanos[i]));
    }
    return rows;
  }

  private static Row row(double rate, double medianNanos) {
    return sample(rate, medianNanos).build();
  }

  private static SampleResults.Builder sample(double rate, double medianNanos) {
    return SampleResults.row("OpenLoopBenchmark", "kafka", "acks=all", "1", 100, 1)
        .openLoop(rate, medianNanos);
  }

  private static Row with(Row row, OpenLoop openLoop) {
    return new Row(
        row.load(),
        row.target(),
        row.rates(),
        new Row.Latencies(null, null, openLoop),
        row.timeline(),
        row.cost(),
        row.proof());
  }
}
