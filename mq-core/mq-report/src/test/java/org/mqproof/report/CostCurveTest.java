package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mqproof.report.CostCurve.Axis;
import org.mqproof.report.CostCurve.Cost;

class CostCurveTest {

  @Test
  void aCostThatStaysTwiceAsHighBendsAndItsPowerIsFitted() {
    CostCurve curve = only(bodies(1e5, 1e6, 1e5, 1e4));

    assertThat(curve.axis()).isEqualTo(Axis.BODIES);
    assertThat(curve.bends())
        .filteredOn(bend -> bend.cost() == Cost.TIME)
        .singleElement()
        .satisfies(
            bend -> {
              assertThat(bend.below()).isEqualTo(1_000);
              assertThat(bend.above()).isEqualTo(10_000);
              assertThat(bend.factor()).isBetween(99.0, 101.0);
              assertThat(bend.exponent()).as("from the lowest on").isBetween(0.99, 1.01);
            });
    assertThat(curve.sentence())
        .startsWith(
            "time bends between 1,000 and 10\u00a0k, to 100 times its lowest (grows as the amount to"
                + " the power of 1.0); CPU");
  }

  @Test
  void whatIsFlatOrFallsOrComesBackDoesNotBend() {
    assertThat(only(bodies(1e6, 0.9e6, 0.7e6, 0.51e6)).bends()).isEmpty();
    assertThat(only(bodies(1e5, 1e6, 1e6)).sentence())
        .isEqualTo("nothing bends from 100 to 10\u00a0k");
    assertThat(only(bodies(1e6, 1e5, 1e6)).bends()).as("it comes back").isEmpty();
  }

  @Test
  void aRiseAfterASlowStartIsABend() {
    assertThat(only(bodies(1e5, 1e6, 1e6, 3e5)).bends())
        .as("more than twice the lowest, though no more than the first")
        .isNotEmpty();
  }

  @Test
  void oneAmountGrowsAloneInThreeRowsThatCount() {
    assertThat(CostCurve.of(bodies(1e6, 1e5))).isEmpty();
    List<Row> rows = new ArrayList<>(bodies(1e6, 1e5, 1e4));
    rows.set(1, with(sample(1e5).lost(1).build(), Map.of("bodyBytes", "1000")));
    assertThat(CostCurve.of(rows)).as("void").isEmpty();
    rows.set(1, with(sample(1e5).build(), Map.of("bodyBytes", "1000", "async", "true")));
    assertThat(CostCurve.of(rows)).as("another load").isEmpty();
  }

  @Test
  void threadsAreAnAxisAndMessagesAreThoseOfTheLedger() {
    List<Row> rows = new ArrayList<>();
    for (int threads : new int[] {1, 10, 100}) {
      Row row = sample(1e6).build();
      rows.add(
          new Row(
              new Row.Load("FlowBenchmark", row.load().params(), threads, threads),
              row.target(),
              row.rates(),
              row.latencies(),
              row.timeline(),
              row.cost(),
              row.proof()));
    }
    assertThat(only(rows).axis()).isEqualTo(Axis.THREADS);

    List<Row> earlier = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      earlier.add(with(sample(1e6 * (3 - i)).build(), Map.of("earlier", Integer.toString(i))));
    }
    CostCurve messages = only(earlier);
    assertThat(messages.axis()).isEqualTo(Axis.MESSAGES);
    assertThat(messages.points().get(0).amount())
        .as("60 s at 1,000,000 a second, in two forks")
        .isEqualTo(30e6);
    assertThat(messages.points().get(0).costs()).containsKey(Cost.LEDGER);
  }

  @Test
  void anOpenLoopHasNoTimeOfItsOwn() {
    List<Row> rows = new ArrayList<>();
    for (String body : new String[] {"100", "1000", "10000"}) {
      rows.add(with(sample(1e3).openLoop(1_000, 1e6).build(), Map.of("bodyBytes", body)));
    }
    assertThat(only(rows).points()).allMatch(point -> Double.isNaN(point.of(Cost.TIME)));
    assertThat(CostCurve.text(rows)).doesNotContain("  time").contains("CPU time");
  }

  @Test
  void thePageDrawsIt() throws Exception {
    Results results = new Results(SampleResults.environment(), bodies(1e6, 1e6, 1e4));
    assertThat(HtmlReport.render(results))
        .contains("Cost against work", "By bytes of a body: memory, FlowBenchmark, 1+1 threads")
        .contains("<b>bends between 1,000 and 10\u00a0k, to 100 times its lowest");
    assertThat(HtmlReport.render(SampleResults.kafka())).doesNotContain("Cost against work");
  }

  private static CostCurve only(List<Row> rows) {
    assertThat(CostCurve.of(rows)).hasSize(1);
    return CostCurve.of(rows).get(0);
  }

  /** Bodies of 100 bytes, 1,000 and so on. */
  private static List<Row> bodies(double... rates) {
    List<Row> rows = new ArrayList<>();
    int bytes = 100;
    for (double rate : rates) {
      rows.add(with(sample(rate).build(), Map.of("bodyBytes", Integer.toString(bytes))));
      bytes *= 10;
    }
    return rows;
  }

  private static SampleResults.Builder sample(double rate) {
    return SampleResults.row("FlowBenchmark", "memory", "", "10", rate, 1).forks(rate, rate);
  }

  private static Row with(Row row, Map<String, String> more) {
    Map<String, String> params = new TreeMap<>(row.load().params());
    params.putAll(more);
    return new Row(
        new Row.Load(row.load().benchmark(), params, row.load().senders(), row.load().receivers()),
        row.target(),
        row.rates(),
        row.latencies(),
        row.timeline(),
        row.cost(),
        row.proof());
  }
}
