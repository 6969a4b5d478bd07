package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class EntryTest {

  @Test
  void aLabelSaysWhatSetsARowApart() {
    assertThat(
            labels(
                SampleResults.row("F", "kafka", "acks=all", "1", 10, 1).build(),
                SampleResults.row("F", "kafka", "acks=all", "1..10", 10, 1).build(),
                SampleResults.row("G", "kafka", "acks=all", "1..10", 10, 1).build()))
        .containsExactly(
            "kafka acks=all · batch 1", "kafka acks=all · batch 1..10", "kafka acks=all");
  }

  @Test
  void settingsAreNamedOnlyWhereNothingElseDiffers() {
    assertThat(
            labels(
                SampleResults.row("F", "kafka", "a", "1", 10, 1).setting("linger", "5").build(),
                SampleResults.row("F", "kafka", "a", "1", 10, 1).setting("linger", "0").build(),
                SampleResults.row("F", "kafka", "b", "1", 10, 1).setting("linger", "9").build()))
        .containsExactly("kafka a · linger 5", "kafka a · linger 0", "kafka b");
  }

  @Test
  void twinsAreNumbered() {
    Row row = SampleResults.row("F", "kafka", "a", "1", 10, 1).build();
    assertThat(labels(row, row)).containsExactly("kafka a · row 1", "kafka a · row 2");
  }

  @Test
  void aSystemInsideTheJvmDoesNotGiveTheOthersALongerName() {
    assertThat(
            labels(
                SampleResults.row("F", "kafka", "a", "1", 10, 1).build(),
                SampleResults.row("F", "memory", "", "1", 10, 1).inJvm().build()))
        .containsExactly("kafka a", "memory");
  }

  @Test
  void standing() {
    assertThat(SampleResults.row("F", "s", "m", "1", 10, 1).build().standing())
        .isEqualTo(Standing.PROVEN);
    assertThat(SampleResults.row("F", "s", "m", "1", 10, 1).lost(1).build().standing())
        .isEqualTo(Standing.VOID);
    assertThat(SampleResults.row("F", "s", "m", "1", 10, 1).undrained().build().standing())
        .isEqualTo(Standing.VOID);
    assertThat(SampleResults.row("F", "s", "m", "1", 10, 1).failed("x").build().standing())
        .isEqualTo(Standing.VOID);
    assertThat(SampleResults.row("F", "s", "m", "1", 10, 1).unverified().build().standing())
        .isEqualTo(Standing.UNVERIFIED);
    // all twelve messages of this one are unknown: nothing was confirmed, so nothing proven
    assertThat(SampleResults.row("F", "s", "m", "1", 0.2, 1).build().standing())
        .isEqualTo(Standing.VOID);
  }

  private static List<String> labels(Row... rows) {
    return Entry.of(List.of(rows)).stream().map(Entry::label).toList();
  }
}
