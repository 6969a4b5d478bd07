package org.mqproof.jmh.sustain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSearchTest {

  private final List<RateSearch.Try> tries = new ArrayList<>();
  private boolean searched;

  @ParameterizedTest
  @ValueSource(longs = {1, 37, 999, 1_000, 1_001, 12_345, 64_000, 999_999})
  void aSharpLimitIsEnclosed(long limit) {
    RateSearch.Interval found = search(rate -> rate <= limit, 1_000_000).from(1_000);

    assertThat(found.sustained().orElseThrow()).isLessThanOrEqualTo(limit);
    assertThat(found.notSustained().orElseThrow()).isGreaterThan(limit);
    assertThat((double) found.notSustained().orElseThrow())
        .isLessThanOrEqualTo(Math.max(1.1 * found.sustained().orElseThrow(), limit + 1.0));
  }

  @Test
  void bothEndsAreConfirmedByFreshRunsOnly() {
    RateSearch.Interval found = search(rate -> rate <= 5_000, 1_000_000).from(1_000);

    for (long end : List.of(low(found), high(found))) {
      assertThat(tries)
          .filteredOn(one -> one.fresh() && one.messagesPerSecond() == end)
          .hasSize(3)
          .allMatch(one -> one.judgement().met() == (end == low(found)));
    }
  }

  @Test
  void whatTheSearchMetByLuckIsNotTheAnswer() {
    // The search sees 8,000 met; every fresh run above 4,000 fails.
    RateSearch.Interval found =
        search(rate -> rate <= (confirming() ? 4_000 : 8_000), 1_000_000).from(1_000);

    assertThat(low(found)).isBetween(3_600L, 4_000L);
    assertThat(high(found)).isBetween(4_001L, 4_400L);
  }

  @Test
  void whatTheSearchMissedByBadLuckIsTriedAgain() {
    RateSearch.Interval found =
        search(rate -> rate <= (confirming() ? 10_000 : 8_000), 1_000_000).from(1_000);

    assertThat(low(found)).isBetween(9_000L, 10_000L);
    assertThat(high(found)).isBetween(10_001L, 11_000L);
  }

  @Test
  void noiseWidensTheIntervalButTheEndsHold() {
    // Between 9,000 and 11,000 a coin decides.
    for (int seed = 0; seed < 50; seed++) {
      tries.clear();
      SplittableRandom coin = new SplittableRandom(seed);
      RateSearch.Interval found =
          search(rate -> rate <= 9_000 || (rate < 11_000 && coin.nextBoolean()), 1_000_000)
              .from(1_000);

      // Three heads in a row are no rarity, so an end may lie within the grey zone, never outside.
      assertThat(low(found)).isBetween(8_100L, 11_000L);
      assertThat(high(found)).isBetween(9_001L, 12_200L).isGreaterThan(low(found));
    }
  }

  @Test
  void withoutAFailureThereIsNoUpperEnd() {
    RateSearch.Interval found = search(rate -> true, 50_000).from(1_000);

    assertThat(found.sustained()).hasValue(50_000);
    assertThat(found.notSustained()).isEmpty();
  }

  @Test
  void whereNothingIsMetThereIsNoLowerEnd() {
    RateSearch.Interval found = search(rate -> false, 50_000).from(1_000);

    assertThat(found.sustained()).isEqualTo(OptionalLong.empty());
    assertThat(found.notSustained()).isPresent();
    assertThat(tries).hasSizeLessThan(100);
  }

  /** A rate that was tried before is tried again only to confirm. */
  private boolean confirming() {
    return searched;
  }

  private RateSearch<RuntimeException> search(LongPredicate met, long most) {
    return new RateSearch<>(
        rate -> {
          searched |= tries.stream().anyMatch(one -> one.messagesPerSecond() == rate);
          return new Objective.Judgement(met.test(rate), "");
        },
        tries::add,
        most,
        1.1,
        3);
  }

  private static long low(RateSearch.Interval found) {
    return found.sustained().orElseThrow();
  }

  private static long high(RateSearch.Interval found) {
    return found.notSustained().orElseThrow();
  }
}
