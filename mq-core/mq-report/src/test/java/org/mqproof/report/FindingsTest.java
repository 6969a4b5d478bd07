package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FindingsTest {

  private static final SelfCheck STEADY =
      new SelfCheck(0.1, 0.4, 0, 1L, 0.0, 0.5, null, new Drift(0.02, 1, 30), List.of());

  private static final SelfCheck.Doubt UNSTEADY =
      new SelfCheck.Doubt(SelfCheck.Kind.UNSTEADY, "it rose");

  @Test
  void theRateOfTheFastestFlowAndTheTailOfTheOpenLoopAreTheAnswer() {
    List<Long> tails = List.of(20_000_000L, 25_000_000L, 22_000_000L, 30_000_000L, 21_000_000L);
    Row open = flow(400, 400, 400, 400, 400).openLoop(20_000, 2e6, tails).build().with(STEADY);

    assertThat(
            Findings.of(
                List.of(
                    flow(684, 690, 680, 685, 700).build().with(STEADY),
                    flow(41_000, 43_000, 42_000, 44_000, 40_000).build().with(STEADY),
                    open)))
        .singleElement()
        .asString()
        .startsWith("kafka acks=all here: 40,000 to 44,000 messages a second received, p99 ")
        .contains(" ms at 20,000/s; all of ")
        .endsWith(" confirmed messages delivered.");
  }

  @Test
  void aRoughNumberIsCalledRoughAndWhatMayNotBeQuotedIsNotSaid() {
    assertThat(Findings.of(List.of(flow(100, 110).build())))
        .singleElement()
        .asString()
        .startsWith("kafka acks=all here: roughly 100 to 110 messages a second received; all of ");
    Row lost = flow(100, 110).lost(3).build();
    assertThat(Findings.of(List.of(lost)))
        .containsExactly(
            "kafka acks=all here: no number of this run may be quoted; nothing is proven.");
    assertThat(Findings.of(List.of(lost, flow(100, 110).build())))
        .singleElement()
        .asString()
        .endsWith(" confirmed messages delivered, but 1 row not proven.");
  }

  /** How fast a queue is emptied does not answer how fast messages go through it. */
  @Test
  void aRateThatRoseIsARangeAndNoOtherBenchmarkStandsInForIt() {
    SelfCheck rising =
        new SelfCheck(0.1, 0.4, 0, 1L, 0.0, 0.5, null, new Drift(0.4, 3, 30), List.of(UNSTEADY));
    Row rose = flow(100, 110, 150, 180, 210).build().with(rising);
    Row receive =
        SampleResults.row("ReceiveBenchmark", "kafka", "acks=all", "-", 9_000, 1)
            .rates(false, true)
            .build();

    assertThat(Findings.of(List.of(rose, receive)))
        .singleElement()
        .asString()
        .startsWith("kafka acks=all here: 100 to 210 messages a second received, rising; all of ");
  }

  @Test
  void eachSystemHasItsSentence() {
    Row other = SampleResults.row("SendBenchmark", "b", "", "1", 50, 1).rates(true, false).build();

    assertThat(Findings.of(List.of(flow(100, 110).build(), other)))
        .hasSize(2)
        .last()
        .asString()
        .startsWith("b here: roughly ")
        .contains(" messages a second sent; ");
  }

  private static SampleResults.Builder flow(double... forks) {
    return SampleResults.row("FlowBenchmark", "kafka", "acks=all", "1..10", 100, 1).forks(forks);
  }
}
