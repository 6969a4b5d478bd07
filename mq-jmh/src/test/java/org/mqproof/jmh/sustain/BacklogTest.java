package org.mqproof.jmh.sustain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mqproof.report.Second;

class BacklogTest {

  private final List<Second> timeline = new ArrayList<>();

  @Test
  void aGrowthThatEveryIterationStartsAnewIsFound() {
    for (int iteration = 0; iteration < 3; iteration++) {
      stretch(iteration * 6, 0, 500, 1_000, 1_500);
    }

    Backlog backlog = Backlog.of(timeline);

    assertThat(backlog.perSecond()).isCloseTo(500, within(1e-9));
    assertThat(backlog.error()).isCloseTo(0, within(1e-9));
    assertThat(backlog.grows(100)).isTrue();
    assertThat(backlog.grows(500)).isFalse();
  }

  @Test
  void jumpsAreNoGrowth() {
    stretch(0, 0, 4_000, 100, 3_000, 500);
    stretch(6, 2_000, 0, 4_000, 1_000, 2_500);

    Backlog backlog = Backlog.of(timeline);

    assertThat(backlog.known()).isTrue();
    assertThat(backlog.perSecond()).isPositive();
    assertThat(backlog.grows(10)).isFalse();
  }

  @Test
  void aHigherLevelAfterAGapIsNoGrowth() {
    stretch(0, 10, 10, 10);
    stretch(4, 9_000, 9_000, 9_000);

    assertThat(Backlog.of(timeline).perSecond()).isZero();
  }

  @Test
  void secondsThatAreNotMeasuredDoNotCount() {
    stretch(0, 10, 10, 10);
    timeline.add(new Second(1, 3, false, 0, 0, null, null, 100_000L));

    assertThat(Backlog.of(timeline).perSecond()).isZero();
  }

  @Test
  void ofTwoSecondsNothingIsKnown() {
    stretch(0, 0, 9_000);

    assertThat(Backlog.of(timeline).known()).isFalse();
  }

  private void stretch(int from, long... backlogs) {
    for (int i = 0; i < backlogs.length; i++) {
      timeline.add(new Second(1, from + i, true, 0, 0, null, null, backlogs[i]));
    }
  }
}
