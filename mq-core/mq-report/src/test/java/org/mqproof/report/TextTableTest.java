package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.Traits;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Verdict;

class TextTableTest {

  @Test
  void aProvenRateIsPrintedWithItsRangeAndItsVerdict() {
    Row row = row("true", verdict(1000, 0, 0, true), List.of());

    assertThat(row.counts()).isTrue();
    assertThat(TextTable.of(List.of(row)))
        .contains(" 453 (261 to 635) ")
        .contains("at-least-once holds; 1,000 confirmed")
        .doesNotContain("~~");
  }

  /** Rows may differ by a parameter alone. */
  @Test
  void notesNameTheirRowByItsNumber() {
    Row proven = row("true", verdict(1000, 0, 0, true), List.of());
    Row lossy = row("true", verdict(1000, 17, 0, true), List.of());

    assertThat(TextTable.of(List.of(proven, lossy)).lines())
        .filteredOn(line -> line.contains("lost: sender 0"))
        .singleElement()
        .asString()
        .startsWith("row 2, SendBenchmark: lost: sender 0");
  }

  @Test
  void aRateWithLossesIsStruckOutAndTheLossesAreNamed() {
    Row row = row("true", verdict(1000, 17, 0, true), List.of());

    assertThat(row.counts()).isFalse();
    assertThat(TextTable.of(List.of(row)))
        .contains("~~453 (261 to 635)~~")
        .contains("at-least-once broken: 17 lost; 1,000 confirmed")
        .contains("lost: sender 0 sequences 3-19");
  }

  @Test
  void whatWasNotDrainedIsNotProven() {
    Row row = row("true", verdict(1000, 0, 5, false), List.of());

    assertThat(row.counts()).isFalse();
    assertThat(TextTable.judgement(row))
        .isEqualTo("at-least-once not proven: not drained, 5 unverified; 1,000 confirmed");
    assertThat(TextTable.of(List.of(row))).contains("~~453");
  }

  @Test
  void withTheLedgerOffNothingIsVerifiedAndNothingStruckOut() {
    Row row = row("false", null, List.of());

    assertThat(row.counts()).isTrue();
    assertThat(TextTable.of(List.of(row)))
        .contains("not verified")
        .contains("453 (261 to 635)")
        .doesNotContain("~~");
  }

  @Test
  void aFailedTrialIsNotProven() {
    Row row = row("true", verdict(10, 0, 0, true), List.of(Row.FAILED + "no network"));

    assertThat(row.counts()).isFalse();
    assertThat(TextTable.judgement(row)).isEqualTo("FAILED; at-least-once holds; 10 confirmed");
    assertThat(TextTable.of(List.of(row))).contains("failed: no network");
  }

  @Test
  void aFailureDoesNotHideALoss() {
    Row row = row("true", verdict(10, 2, 0, true), List.of(Row.FAILED + "no network"));

    assertThat(TextTable.judgement(row))
        .isEqualTo("FAILED; at-least-once broken: 2 lost; 10 confirmed");
  }

  @Test
  void aVerdictOnNothingIsNotProven() {
    Row row = row("true", verdict(0, 0, 0, true), List.of());

    assertThat(row.counts()).isFalse();
    assertThat(TextTable.judgement(row))
        .isEqualTo("at-least-once not proven: nothing confirmed; 0 confirmed");
  }

  private static Row row(String ledger, @Nullable Verdict verdict, List<String> notes) {
    return new Row(
        new Row.Load(
            "SendBenchmark", Map.of("batch", "1..10", "bodyBytes", "100", "ledger", ledger), 1, 0),
        new Row.Target(
            "broken", "", 0, "none", DeclaredTraits.of(Traits.mode("none").build()), Map.of()),
        new Row.Rates(
            Throughput.of(
                459,
                675.0,
                100,
                Stream.of(261.0, 311.0, 453.0, 634.0, 635.0)
                    .map(rate -> new Throughput.Iteration(1, rate))
                    .toList()),
            null),
        Row.Latencies.NONE,
        List.of(),
        Row.Cost.NONE,
        new Row.Proof(verdict, null, notes));
  }

  private static Verdict verdict(long confirmed, long lost, long unverified, boolean drained) {
    return new Verdict(
        confirmed,
        confirmed,
        0,
        0,
        confirmed - lost - unverified,
        confirmed - lost - unverified,
        lost,
        unverified,
        0,
        0,
        0,
        0,
        0,
        0,
        drained,
        new Verdict.Acks(true, 0, 0, false),
        Verdict.Anomalies.NONE,
        Expectations.AT_LEAST_ONCE,
        lost > 0 ? List.of("lost: sender 0 sequences 3-19") : List.of());
  }
}
