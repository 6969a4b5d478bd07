package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketedPercentileTest {

  private final Distribution times = new Distribution();

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 30, 49})
  void everythingBelow50MillisIsTheFamous48(int millis) {
    times.record(millis(millis), 1000);

    assertThat(BucketedPercentile.percentile(times, 95)).isEqualTo(47_500_000);
    assertThat(BucketedPercentile.percentile(times, 50)).isEqualTo(25_000_000);
  }

  @Test
  void samplesOfNothingHaveABucketOfTheirOwn() {
    times.record(0, 300);
    times.record(-millis(3), 200);
    times.record(millis(1), 500);

    // Half are in the bucket without a width; 450 of the other 500 go into the rank of 95 %.
    assertThat(BucketedPercentile.percentile(times, 50)).isZero();
    assertThat(BucketedPercentile.percentile(times, 95)).isEqualTo(45_000_000);
  }

  @Test
  void aBucketIsGoneThroughInAStraightLine() {
    times.record(millis(10), 900);
    times.record(millis(120), 100);

    // 95 % is the 50th of the 100 samples between 100 and 150 ms
    assertThat(BucketedPercentile.percentile(times, 95)).isEqualTo(125_000_000);
    assertThat(BucketedPercentile.percentile(times, 90)).isEqualTo(50_000_000);
  }

  @Test
  void nothingIsCutOffAtTheEndOfAScale() {
    times.record(TimeUnit.MINUTES.toNanos(10), 1000);

    assertThat((double) BucketedPercentile.percentile(times, 95))
        .isCloseTo(600e9, within(50e6 + 600e6));
  }

  @Test
  void theTruthStandsBesideIt() {
    times.record(millis(1), 1000);

    var latency = Objects.requireNonNull(times.summary(Map.of()));

    assertThat(latency.p95BucketedNanos()).isEqualTo(47_500_000L);
    assertThat((double) latency.p95Nanos()).isCloseTo(1e6, within(1e3));
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
