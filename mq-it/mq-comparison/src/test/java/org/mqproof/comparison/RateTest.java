package org.mqproof.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateTest {

  @Test
  void whatWasUsedIsSharedAmongTheMessages() {
    Usage from = new Usage(1_000_000_000L, 5_000_000_000L, 100_000, 1_000_000_000L);
    Usage to = new Usage(3_000_000_000L, 6_000_000_000L, 900_000, 3_000_000_000L);

    assertThat(Rate.between(4_000, from, to)).isEqualTo(new Rate(2_000, 250, 200));
  }

  @Test
  void bytesAreKnownOfTheTimeBetweenTwoCollectionsOnly() {
    Usage from = new Usage(0, 0, 0, 0);
    Usage to = new Usage(4_000_000_000L, 2_000_000_000L, 100_000, 1_000_000_000L);

    assertThat(Rate.of(1_000, from, to)).isEqualTo(new Rate(1_000, 500, 100));
    assertThat(Rate.of(1_000, from, new Usage(1, 1, 0, 0)).bytesPerMessage()).isNaN();
  }

  @Test
  void itTravelsBetweenProcesses() {
    Rate rate = new Rate(12_345.5, 81.25, Double.NaN);

    assertThat(Rate.parse(rate.format())).isEqualTo(rate);
    assertThat(rate).hasToString("12,346 msgs/s (81.3 us CPU, ? bytes each)");
  }

  @Test
  void thisProcessUsesTimeAndMemory() {
    Usage from = Usage.ofThisProcess();
    byte[][] waste = new byte[64][];
    for (int i = 0; i < waste.length; i++) {
      waste[i] = new byte[1 << 20];
    }
    Usage to = Usage.ofThisProcess();

    assertThat(waste).hasDimensions(64, 1 << 20);
    assertThat(to.nanos()).isGreaterThan(from.nanos());
    assertThat(to.cpuNanos()).isGreaterThan(from.cpuNanos());
    assertThat(to.allocatedBytes() - from.allocatedBytes()).isBetween(64L << 20, 128L << 20);
  }
}
