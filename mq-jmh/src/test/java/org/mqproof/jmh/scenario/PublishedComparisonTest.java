package org.mqproof.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mqproof.Traits;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Latency;
import org.mqproof.report.Published;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.Throughput;

class PublishedComparisonTest {

  private static final Scenario SCENARIO =
      new Scenario(
          "title",
          "S0, a table",
          1,
          Map.of(),
          0,
          Map.of(),
          List.of(),
          List.of("one machine"),
          List.of(
              new Scenario.Published(
                  "kafka-1", Map.of("system", "kafka", "senders", "1"), 500.0, 500.0, 48.0, 48.0)));

  @Test
  void aLatencyIsComparedByTheStudysOwnMethod() {
    Published published =
        PublishedComparison.of(SCENARIO, List.of(row("artemis", 1000), row("kafka", 1000)));

    assertThat(published.differences()).containsExactly("one machine");
    assertThat(published.figures()).extracting(Published.Figure::row).containsOnly(2);
    assertThat(published.figures())
        .extracting(Published.Figure::figure, Published.Figure::ratio)
        .containsExactly(
            tuple("sent, msgs/s", 2.0),
            tuple("received, msgs/s", 2.0),
            tuple("send p95, ms", 47.5 / 48),
            tuple("processing p95, ms", 47.5 / 48));
    assertThat(
            PublishedComparison.text(published, List.of(row("artemis", 1000), row("kafka", 1000))))
        .contains("0.99")
        .contains("not verified")
        .contains("Not as in the study: one machine");
  }

  @Test
  void theAgeOfABacklogStandsBesideNothing() {
    Published published = PublishedComparison.of(SCENARIO, List.of(row("kafka", 900)));

    assertThat(published.figures())
        .extracting(Published.Figure::figure)
        .containsExactly("sent, msgs/s", "received, msgs/s", "send p95, ms");
  }

  @Test
  void whatNobodyPublishedIsSaid() {
    assertThat(
            PublishedComparison.text(
                PublishedComparison.of(SCENARIO, List.of(row("sqs", 1000))), List.of()))
        .startsWith("The study published no figure");
  }

  private static Row row(String system, long received) {
    Latency latency =
        new Latency(
            10, 0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, List.of(), 47_500_000L, null);
    return new Row(
        new Row.Load("FlowBenchmark", Map.of("system", system), 1, 1),
        new Row.Target(
            system, "", 3, "none", DeclaredTraits.of(Traits.mode("none").build()), Map.of()),
        new Row.Rates(
            new Throughput(1000, null, 0.999, 0, List.of()),
            new Throughput(1000, null, 0.999, 0, List.of())),
        new Row.Latencies(latency, latency, null),
        List.of(new Second(1, 0, true, 1000, received, null, null, null)),
        Row.Cost.NONE,
        Row.Proof.NONE);
  }
}
