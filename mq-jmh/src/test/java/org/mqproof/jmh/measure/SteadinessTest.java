package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.mqproof.report.Drift;
import org.mqproof.report.Second;
import org.mqproof.report.Throughput;

class SteadinessTest {

  @Test
  void aWarmUpThatWasTooShortIsFound() {
    Drift drift = of(fork(1, 30, second -> 1_000 + 20 * second));

    assertThat(drift.unsteady()).isTrue();
    assertThat(drift.change()).isCloseTo(0.3, within(0.1));
    assertThat(drift.z()).isPositive();
    assertThat(drift.seconds()).isEqualTo(28);
  }

  @Test
  void aRateThatFallsIsFoundInSpiteOfItsNoise() {
    Random random = new Random(1);
    Drift drift = of(fork(1, 30, second -> (2_000 - 20 * second) * noise(random)));

    assertThat(drift.unsteady()).isTrue();
    assertThat(drift.change()).isNegative();
    assertThat(drift.z()).isNegative();
  }

  @Test
  void noiseIsNoTrend() {
    int called = 0;
    for (int seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      if (of(fork(1, 26, second -> 1_000 * noise(random))).unsteady()) {
        called++;
      }
    }

    // The test alone would call 1 % of them, 10 of a thousand; the size of the change fewer.
    assertThat(called).isLessThanOrEqualTo(10);
  }

  @Test
  void aTrendTooSmallToMatterIsNone() {
    Drift drift = of(fork(1, 60, second -> 10_000 + 10 * second));

    assertThat(drift.z()).isGreaterThan(5);
    assertThat(drift.unsteady()).isFalse();
  }

  @Test
  void forksThatDifferAreNoDrift() {
    List<Second> timeline = new ArrayList<>(fork(1, 12, second -> 1_000 + second % 2));
    timeline.addAll(fork(2, 12, second -> 2_000 + second % 2));

    assertThat(of(timeline).unsteady()).isFalse();
  }

  @Test
  void secondsThatWereMeasuredInPartDoNotCount() {
    List<Second> timeline = new ArrayList<>(fork(1, 10, second -> second == 0 ? 1 : 1_000));
    timeline.add(0, second(1, -1, false, 0));

    assertThat(of(timeline).change()).isZero();
  }

  @Test
  void tooFewSecondsTellNothing() {
    assertThat(Steadiness.of(fork(1, 7, second -> 1_000 * second), false)).isNull();
    assertThat(Steadiness.of(List.of(), false)).isNull();
  }

  /** Of two seconds each: no second of them is whole and between whole ones often enough. */
  @Test
  void whereIterationsAreShortTheirRatesAreLookedAt() {
    Drift rising = Objects.requireNonNull(Steadiness.of(rate(5, 100, 120, 140)));
    assertThat(rising.unsteady()).isTrue();
    assertThat(rising.change()).isCloseTo(0.4, within(1e-9));
    assertThat(rising.seconds()).isEqualTo(15);
    assertThat(Objects.requireNonNull(Steadiness.of(rate(5, 100, 90, 101))).unsteady()).isFalse();
    assertThat(Steadiness.of(rate(2, 100, 120, 140))).as("two forks: chance").isNull();
    assertThat(Steadiness.of(rate(9, 100))).as("one iteration each").isNull();
  }

  private static Throughput rate(int forks, double... rates) {
    List<Throughput.Iteration> iterations = new ArrayList<>();
    for (int fork = 1; fork <= forks; fork++) {
      for (double rate : rates) {
        iterations.add(new Throughput.Iteration(fork, rate));
      }
    }
    return new Throughput(100, null, 0.999, 0, iterations);
  }

  @Test
  void whereMessagesComeOutTheirRateCounts() {
    List<Second> timeline = new ArrayList<>();
    for (int second = 0; second < 20; second++) {
      timeline.add(new Second(1, second, true, 1_000, 500 + 50L * second, null, null, null));
    }

    assertThat(Objects.requireNonNull(Steadiness.of(timeline, false)).unsteady()).isFalse();
    assertThat(Objects.requireNonNull(Steadiness.of(timeline, true)).unsteady()).isTrue();
  }

  private static Drift of(List<Second> timeline) {
    return Objects.requireNonNull(Steadiness.of(timeline, false));
  }

  private static double noise(Random random) {
    return 1 + 0.1 * random.nextGaussian();
  }

  private static List<Second> fork(int fork, int seconds, IntToDoubleFunction rate) {
    List<Second> timeline = new ArrayList<>();
    for (int second = 0; second < seconds; second++) {
      timeline.add(second(fork, second, true, (long) rate.applyAsDouble(second)));
    }
    return timeline;
  }

  private static Second second(int fork, int second, boolean measured, long sent) {
    return new Second(fork, second, measured, sent, 0, null, null, null);
  }
}
