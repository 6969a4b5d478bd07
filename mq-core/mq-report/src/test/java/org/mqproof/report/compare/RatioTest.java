package org.mqproof.report.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** All random numbers have a seed: what passes once passes always. */
final class RatioTest {

  private static final Method METHOD = new Method(0.05, 0.95, 1);

  /** Ten pairs of the same build, as a gate sees them: never slower. */
  @ParameterizedTest
  @EnumSource(Noise.class)
  void tenPairsOfTheSameAreNeverCalledSlower(Noise noise) {
    Random random = new Random(20171);
    Method family = METHOD.sharedBy(10);
    for (int pair = 0; pair < 10; pair++) {
      Ratio ratio = Ratio.of(noise.run(random, 10), noise.run(random, 10), family);
      assertThat(ratio.call(family)).as("pair %d: %s", pair, ratio).isNotEqualTo(Call.SLOWER);
    }
  }

  /** The stated level: at most 5 % of the intervals miss, however few the forks. */
  @ParameterizedTest
  @EnumSource(Noise.class)
  void anIntervalMissesNoMoreOftenThanItSays(Noise noise) {
    for (int forks : new int[] {5, 10}) {
      Random random = new Random(42);
      int pairs = 300;
      int missed = 0;
      for (int pair = 0; pair < pairs; pair++) {
        Ratio ratio = Ratio.of(noise.run(random, forks), noise.run(random, forks), METHOD);
        missed += ratio.low() > 1 || ratio.high() < 1 ? 1 : 0;
      }
      // Of 300 at 5 % each, more than 27 would come with a probability of 0.1 %.
      assertThat(missed).as("%s, %d forks", noise, forks).isLessThanOrEqualTo(27);
    }
  }

  /** Where it can be seen at all, and where it cannot it is called noise. */
  @ParameterizedTest
  @EnumSource(Noise.class)
  void aPlantedTenthIsFoundOrCalledTooNoisy(Noise noise) {
    Random random = new Random(7);
    int pairs = 100;
    int found = 0;
    int missed = 0;
    for (int pair = 0; pair < pairs; pair++) {
      Ratio ratio = Ratio.of(noise.run(random, 10), slower(noise.run(random, 10), 0.9), METHOD);
      Call call = ratio.call(METHOD);
      found += call == Call.SLOWER ? 1 : 0;
      missed += call == Call.NO_DIFFERENCE || call == Call.FASTER ? 1 : 0;
    }
    assertThat(missed).isLessThanOrEqualTo(2);
    if (noise == Noise.NORMAL || noise == Noise.DRIFT) {
      assertThat(found).isGreaterThanOrEqualTo(98);
    }
  }

  /** The advice is worth following: with as many forks as it asks for, the tenth is found. */
  @ParameterizedTest
  @EnumSource(Noise.class)
  void withTheForksItAsksForTheTenthIsFound(Noise noise) {
    Random random = new Random(11);
    int found = 0;
    for (int pair = 0; pair < 20; pair++) {
      int forks =
          Ratio.of(noise.run(random, 10), slower(noise.run(random, 10), 0.9), METHOD).forksNeeded();
      Ratio again =
          Ratio.of(noise.run(random, forks), slower(noise.run(random, forks), 0.9), METHOD);
      found += again.call(METHOD) == Call.SLOWER ? 1 : 0;
    }
    assertThat(found).isGreaterThanOrEqualTo(17);
  }

  @ParameterizedTest
  @CsvSource({
    "0.90, 0.88, 0.92, SLOWER",
    "0.94, 0.89, 0.99, SLOWER",
    "0.94, 0.87, 1.01, TOO_NOISY",
    "0.97, 0.95, 0.99, NO_DIFFERENCE",
    "1.00, 0.97, 1.03, NO_DIFFERENCE",
    "1.00, 0.90, 1.10, TOO_NOISY",
    "1.06, 1.03, 1.09, FASTER",
    "1.04, 1.01, 1.07, NO_DIFFERENCE",
    "1.04, 0.90, 1.20, TOO_NOISY",
  })
  void theVerdictFollowsFromTheInterval(double value, double low, double high, Call call) {
    assertThat(new Ratio(value, low, high, 5).call(METHOD)).isEqualTo(call);
  }

  @Test
  void theSameSeedGivesTheSameInterval() {
    double[] before = Noise.NORMAL.run(new Random(1), 6);
    double[] after = Noise.NORMAL.run(new Random(2), 6);
    Ratio first = Ratio.of(before, after, METHOD);

    assertThat(Ratio.of(before, after, METHOD)).isEqualTo(first);
    Ratio other = Ratio.of(before, after, new Method(0.05, 0.95, 2));
    assertThat(other).isNotEqualTo(first);
    assertThat(other.low()).isCloseTo(first.low(), within(0.002));
  }

  @Test
  void forksThatDoNotDifferLeaveNoDoubt() {
    double[] before = {100, 100, 100, 100, 100};
    assertThat(Ratio.of(before, slower(before, 0.9), METHOD))
        .satisfies(ratio -> assertThat(ratio.low()).isEqualTo(ratio.high()))
        .satisfies(ratio -> assertThat(ratio.call(METHOD)).isEqualTo(Call.SLOWER));
  }

  /** Welch's interval, by hand: with normal noise the bootstrap must come near it. */
  @Test
  void onNormalNoiseItAgreesWithWelch() {
    double[] before = {98, 101, 103, 99, 104, 97, 100, 102, 96, 100};
    double[] after = {99, 103, 97, 101, 100, 98, 104, 102, 95, 101};
    Ratio ratio = Ratio.of(before, after, METHOD);
    // Means 100 and 100, variances 6.667 and 7.778: t(18; 0.975) = 2.101, half width 2.525 %.
    assertThat(ratio.value()).isCloseTo(1, within(1e-12));
    assertThat(ratio.low()).isCloseTo(1 - 0.02525, within(0.0015));
    assertThat(ratio.high()).isCloseTo(1 + 0.02525, within(0.0015));
  }

  private static double[] slower(double[] rates, double factor) {
    return Arrays.stream(rates).map(rate -> rate * factor).toArray();
  }
}
