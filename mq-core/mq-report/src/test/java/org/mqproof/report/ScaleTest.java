package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScaleTest {

  @ParameterizedTest
  @ValueSource(doubles = {1e-6, 0.7, 1, 3, 4, 999, 1000, 1001, 48_755, 2.1e6, 7e12})
  void aLinearScaleHoldsItsMaximum(double max) {
    Scale scale = Scale.linear(max, Format::shortCount);
    assertThat(scale.position().applyAsDouble(0)).isZero();
    assertThat(scale.position().applyAsDouble(max)).isBetween(0.5, 1.0);
    assertThat(scale.ticks()).hasSizeBetween(3, 6);
    assertThat(scale.ticks().get(0).at()).isZero();
    assertThat(scale.ticks().get(scale.ticks().size() - 1).at()).isCloseTo(1, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 1.0001, 2, 5, 10, 49, 50, 1e4, 1e9})
  void aLogarithmicScaleHoldsItsRange(double ratio) {
    for (double min : new double[] {1, 3, 999, 1000, 1001, 7.5e8}) {
      Scale scale = Scale.log(min, min * ratio, Format::tick);
      assertThat(scale.position().applyAsDouble(min)).isBetween(-1e-9, 1.0);
      assertThat(scale.position().applyAsDouble(min * ratio)).isBetween(0.0, 1 + 1e-9);
      assertThat(scale.ticks()).hasSizeBetween(2, 12);
      assertThat(labels(scale)).doesNotHaveDuplicates();
    }
  }

  @Test
  void eachNineOfAPercentileTakesTheSameSpace() {
    Scale scale = Scale.percentiles();
    assertThat(labels(scale)).containsExactly("50 %", "90 %", "99 %", "99.9 %", "99.99 %");
    assertThat(scale.position().applyAsDouble(0)).isZero();
    assertThat(scale.position().applyAsDouble(90)).isCloseTo(0.25, within(1e-9));
    assertThat(scale.position().applyAsDouble(99)).isCloseTo(0.5, within(1e-9));
    assertThat(scale.position().applyAsDouble(99.99)).isCloseTo(1, within(1e-6));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 7, 60, 61, 900, 36_000})
  void secondsEndWithTheRun(int seconds) {
    Scale scale = Scale.seconds(seconds);
    assertThat(scale.position().applyAsDouble(seconds)).isEqualTo(1);
    assertThat(labels(scale)).doesNotHaveDuplicates().hasSizeBetween(2, 7);
    assertThat(scale.ticks()).allMatch(tick -> tick.at() <= 1);
  }

  private static List<String> labels(Scale scale) {
    return scale.ticks().stream().map(Scale.Tick::label).toList();
  }
}
