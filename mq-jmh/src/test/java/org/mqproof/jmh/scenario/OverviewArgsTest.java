package org.mqproof.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.jmh.scenario.OverviewArgs.Line;

class OverviewArgsTest {

  @Test
  void eachRowHasItsBenchmarkAndWhatSetsItApart() {
    OverviewArgs args = OverviewArgs.of(List.of("-p", "system=memory", "-r", "1s", "-tg", "2,2"));

    assertThat(args.commandLine(Line.ONE_BY_ONE, 7))
        .startsWith("\\.FlowBenchmark\\.")
        .contains("async=false", "system=memory", "1s", "2,2")
        .doesNotContain("rate=7", "2s -r");
    assertThat(args.commandLine(Line.OPEN_LOOP, 7))
        .startsWith("\\.OpenLoopBenchmark\\.")
        .contains("async=true", "batch=1..10", "rate=7");
    assertThat(args.commandLine(Line.RECEIVE, 7))
        .startsWith("\\.ReceiveBenchmark\\.")
        .contains("prefill=28", "leadIn=7")
        .doesNotContain("-tg", "rate=7");
  }

  @Test
  void theOpenLoopIsMeasuredForLongerUnlessTheCallerSays() {
    OverviewArgs args = OverviewArgs.of(List.of());
    assertThat(args.commandLine(Line.PIPELINED, 7)).containsSequence("-w", "6s").contains("3");
    assertThat(args.commandLine(Line.OPEN_LOOP, 7))
        .contains("-w", "4s", "-i", "8")
        .doesNotContain("6s", "3");

    assertThat(OverviewArgs.of(List.of("-i", "2")).commandLine(Line.OPEN_LOOP, 7))
        .contains("-i", "2", "4s")
        .doesNotContain("8");
  }

  @Test
  void aParameterGoesToTheRowsThatHaveIt() {
    OverviewArgs args =
        OverviewArgs.of(List.of("-p", "batch=5", "-p", "prefill=9", "-p", "bodyBytes=64"));

    assertThat(args.commandLine(Line.PIPELINED, 1))
        .contains("batch=5", "bodyBytes=64")
        .doesNotContain("prefill=9");
    assertThat(args.commandLine(Line.OPEN_LOOP, 1)).contains("batch=5").doesNotContain("prefill=9");
    assertThat(args.commandLine(Line.RECEIVE, 1))
        .contains("prefill=9", "bodyBytes=64")
        .doesNotContain("batch=5", "prefill=4", "leadIn=1");
    assertThat(OverviewArgs.of(List.of()).commandLine(Line.RECEIVE, 9_000_000))
        .as("of the fastest a million")
        .contains("prefill=1000000", "leadIn=250000");
  }

  @Test
  void allRowsHaveTheSameForks() {
    assertThat(OverviewArgs.of(List.of()).forks()).isEqualTo(5);
    assertThat(OverviewArgs.of(List.of("-f", "2")).forks()).isEqualTo(2);
    assertThat(OverviewArgs.of(List.of("-f", "0")).forks()).as("in this JVM").isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kafka              | overview takes options with a value each
          -p async=true      | overview sets async itself
          -p rate=5          | overview sets rate itself
          -p system=a,b      | overview takes one value per parameter
          """)
  void whatWouldMixTheRowsUpIsRefused(String args, String sentence) {
    assertThatThrownBy(() -> OverviewArgs.of(List.of(args.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(sentence);
  }
}
