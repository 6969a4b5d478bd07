package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long ORIGIN = -5 * SECOND; // nanoTime may be below zero

  @Test
  void constantArrivalsDoNotDrift() {
    Schedule schedule = schedule("constant", 3_000, "1", 0, 1);

    for (int i = 0; i < 3_000_000; i++) {
      schedule.advance(1);
    }

    assertThat(schedule.dueNanos() - ORIGIN).isEqualTo(1_000 * SECOND);
  }

  @Test
  void sendersShareTheRateAndTakeTurns() {
    Schedule first = schedule("constant", 100, "1", 0, 2);
    Schedule second = schedule("constant", 100, "1", 1, 2);

    assertThat(first.dueNanos() - ORIGIN).isZero();
    assertThat(second.dueNanos() - ORIGIN).isEqualTo(SECOND / 100);
    first.advance(1);
    assertThat(first.dueNanos() - ORIGIN).isEqualTo(2 * SECOND / 100);
  }

  @Test
  void aLargerBatchLeavesALongerGap() {
    Schedule schedule = schedule("constant", 1_000, "1..10", 0, 1);

    schedule.advance(7);

    assertThat(schedule.dueNanos() - ORIGIN).isEqualTo(7 * SECOND / 1_000);
  }

  @Test
  void poissonGapsHaveTheirRateAndSpreadAndNoMemory() {
    Schedule schedule = schedule("poisson", 1_000, "3", 0, 1);
    int n = 200_000;
    double[] gaps = new double[n];
    long last = ORIGIN;
    for (int i = 0; i < n; i++) {
      gaps[i] = schedule.dueNanos() - last;
      last = schedule.dueNanos();
      schedule.advance(3);
    }

    double mean = 0;
    for (double gap : gaps) {
      mean += gap / n;
    }
    double variance = 0;
    double covariance = 0;
    for (int i = 0; i < n; i++) {
      variance += (gaps[i] - mean) * (gaps[i] - mean) / n;
      covariance += i == 0 ? 0 : (gaps[i] - mean) * (gaps[i - 1] - mean) / n;
    }
    // Standard errors: 0.2 % of the mean, 0.3 % of the deviation.
    assertThat(mean / SECOND).isCloseTo(0.003, within(0.003 * 0.01));
    assertThat(Math.sqrt(variance) / mean).isCloseTo(1, within(0.02));
    assertThat(covariance / variance).isCloseTo(0, within(0.01));
  }

  @Test
  void poissonSendersAreIndependentAndRepeatable() {
    assertThat(schedule("poisson", 1_000, "1", 0, 2).dueNanos())
        .isNotEqualTo(schedule("poisson", 1_000, "1", 1, 2).dueNanos())
        .isEqualTo(schedule("poisson", 1_000, "1", 0, 2).dueNanos());
  }

  @Test
  void burstsAreDueAtOnceAndKeepTheRate() {
    Schedule schedule = schedule("bursts:100", 1_000, "1", 0, 1);

    for (int i = 0; i < 100; i++) {
      assertThat(schedule.dueNanos()).isEqualTo(ORIGIN);
      schedule.advance(1);
    }
    assertThat(schedule.dueNanos() - ORIGIN).isEqualTo(SECOND / 10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"often", "bursts", "bursts:0", "bursts:x", "poisson:3", ""})
  void whatIsNoArrivalIsSaid(String text) {
    assertThatThrownBy(() -> Arrivals.parse(text))
        .hasMessageStartingWith("arrivals cannot be '" + text + "': it takes constant, poisson");
  }

  private static Schedule schedule(
      String arrivals, double rate, String batch, int number, int senders) {
    Schedule schedule =
        new Schedule(Arrivals.parse(arrivals), rate, BatchSizes.parse(batch), number);
    schedule.start(ORIGIN, senders);
    return schedule;
  }
}
