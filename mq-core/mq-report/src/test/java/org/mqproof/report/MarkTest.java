package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.report.Mark.Kind;

/**
 * Each reason alone takes the mark of a row that is otherwise as good as one that may be quoted.
 */
class MarkTest {

  private static final Drift STEADY = new Drift(0.02, 1, 30);

  @Test
  void aProvenSteadyRowOfFiveForksThatAgreeMayBeQuoted() {
    Mark mark = mark(row(100, 104, 98, 101, 99), STEADY);

    assertThat(mark.kind()).isEqualTo(Kind.QUOTE);
    assertThat(mark.sentence()).isEqualTo("quote");
  }

  @Test
  void forksThatAreFewOrFarApartAreRough() {
    assertThat(mark(row(100, 104, 98, 101), STEADY).sentence())
        .isEqualTo("rough: 4 forks, and how much forks differ takes 5");
    assertThat(mark(row(100, 150, 80, 120, 90), STEADY).sentence())
        .startsWith("rough: the forks' 95 % interval ends at 1.8 times where it begins");
  }

  @Test
  void forksWithoutAnythingInCommonAreNoNumber() {
    assertThat(mark(row(100, 900, 300, 20, 2_000), STEADY).kind()).isEqualTo(Kind.DO_NOT_QUOTE);
    assertThat(mark(row(100, 0, 98, 101, 99), STEADY).sentence())
        .isEqualTo("do not quote: it stood still in a fork");
  }

  @Test
  void anOpenLoopIsJudgedByItsTailAndNotByTheRateThatItWasAskedFor() {
    SampleResults.Builder same = row(100, 100, 100, 100, 100);
    List<Long> close = List.of(20_000L, 25_000L, 22_000L, 30_000L, 21_000L);
    List<Long> far = List.of(20_000L, 50_000L, 22_000L, 40_000L, 21_000L);

    assertThat(mark(same.openLoop(100, 1e6, close), STEADY).kind()).isEqualTo(Kind.QUOTE);
    assertThat(mark(same.openLoop(100, 1e6, far), STEADY).kind()).isEqualTo(Kind.ROUGH);
  }

  @Test
  void whatNobodyCouldSeeIsRough() {
    assertThat(mark(row(100, 104, 98, 101, 99), null).sentence())
        .isEqualTo("rough: too short to tell whether it was steady");
    assertThat(Mark.of(row(100, 104, 98, 101, 99).build()).kind()).isEqualTo(Kind.ROUGH);
  }

  @Test
  void aDoubtOfTheClientIsRoughAndAnyOtherTakesTheNumber() {
    for (SelfCheck.Kind kind : SelfCheck.Kind.values()) {
      Row row =
          row(100, 104, 98, 101, 99)
              .build()
              .with(
                  new SelfCheck(
                      0.1,
                      0.4,
                      0,
                      1L,
                      0.0,
                      0.5,
                      null,
                      STEADY,
                      List.of(new SelfCheck.Doubt(kind, "x"))));
      Kind expected = kind == SelfCheck.Kind.CLIENT ? Kind.ROUGH : Kind.DO_NOT_QUOTE;

      assertThat(Mark.of(row).kind()).as(kind.name()).isEqualTo(expected);
      assertThat(Mark.of(row).reasons()).containsExactly(Words.doubt(kind));
    }
  }

  @Test
  void withoutAProofThereIsNoNumber() {
    assertThat(mark(row(100, 104, 98, 101, 99).lost(1), STEADY).sentence())
        .isEqualTo("do not quote: nothing is proven");
    assertThat(mark(row(100, 104, 98, 101, 99).unverified(), STEADY).sentence())
        .isEqualTo("do not quote: the ledger was off");
  }

  private static SampleResults.Builder row(double... forks) {
    return SampleResults.row("FlowBenchmark", "kafka", "acks=all", "1..10", 100, 1).forks(forks);
  }

  private static Mark mark(SampleResults.Builder row, @Nullable Drift drift) {
    return Mark.of(
        row.build().with(new SelfCheck(0.1, 0.4, 0, 1L, 0.0, 0.5, null, drift, List.of())));
  }
}
