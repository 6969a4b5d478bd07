package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mqproof.report.Latency;

class DistributionTest {

  private final Distribution times = new Distribution();

  @Test
  void percentilesAreWithinAThousandth() {
    for (long micros = 1; micros <= 10_000; micros++) {
      times.record(micros * 1000, 1);
    }

    assertThat((double) times.atPercentile(50)).isCloseTo(5e6, within(5e3));
    assertThat((double) times.atPercentile(99.9)).isCloseTo(9.99e6, within(1e4));
    assertThat((double) times.max()).isCloseTo(1e7, within(1e4));
    assertThat(times.mean()).isCloseTo(5.0005e6, within(5e3));
  }

  @Test
  void noValueIsTooLarge() {
    times.record(TimeUnit.DAYS.toNanos(300), 1);
    times.record(Long.MAX_VALUE, 1);

    assertThat(times.count()).isEqualTo(2);
    assertThat((double) times.max()).isCloseTo(Long.MAX_VALUE, within(1e16));
  }

  @Test
  void timesBelowZeroAreKeptAndCounted() {
    times.record(-2_000, 3);
    times.record(-1_000, 1);
    times.record(5_000, 3);
    times.record(8_000, 3);

    assertThat(times.count()).isEqualTo(10);
    assertThat(times.negatives()).isEqualTo(4);
    assertThat(times.min()).isBetween(-2_002L, -1_999L);
    assertThat(times.atPercentile(30)).isBetween(-2_002L, -1_999L);
    assertThat(times.atPercentile(40)).isBetween(-1_001L, -999L);
    assertThat(times.atPercentile(41)).isBetween(4_990L, 5_010L);
    assertThat(times.atPercentile(70)).isBetween(4_990L, 5_010L);
    assertThat(times.atPercentile(71)).isBetween(7_990L, 8_010L);
    assertThat(times.mean()).isCloseTo(3_200, within(5.0));
  }

  @Test
  void mergingAndWritingLoseNothing() {
    Distribution other = new Distribution();
    for (int i = 0; i < 1000; i++) {
      times.record(i * 977L, 1);
      other.record(-i * 31L - 1, 2);
    }
    times.add(other);

    Distribution read = Distribution.decode(times.encode());

    assertThat(read.count()).isEqualTo(3000);
    assertThat(read.negatives()).isEqualTo(2000);
    for (double percentile : new double[] {0.1, 10, 66, 67, 99, 100}) {
      assertThat(read.atPercentile(percentile)).isEqualTo(times.atPercentile(percentile));
    }
  }

  @Test
  void theCurveRisesToTheLargestSample() {
    for (int i = 1; i <= 100_000; i++) {
      times.record(i, 1);
    }

    Latency summary = Objects.requireNonNull(times.summary(Map.of()));

    assertThat(summary.curve())
        .isSortedAccordingTo(Comparator.comparingDouble(Latency.Point::percentile));
    assertThat(summary.curve()).extracting(Latency.Point::nanos).isSorted();
    assertThat(summary.curve().get(summary.curve().size() - 1))
        .isEqualTo(new Latency.Point(100, times.max()));
    assertThat(summary.curve()).hasSizeBetween(50, 200);
  }

  @Test
  void noSamplesIsNoLatency() {
    assertThat(times.summary(Map.of())).isNull();
  }
}
