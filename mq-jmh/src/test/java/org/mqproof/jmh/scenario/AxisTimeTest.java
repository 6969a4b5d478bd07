package org.mqproof.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AxisTimeTest {

  @Test
  void theFirstPointAlwaysRunsAndTheRestAsLongAsThereIsTime() {
    AxisTime time = new AxisTime(Duration.ofSeconds(10));
    assertThat(time.allowsOneMore()).isTrue();
    time.took(Duration.ofSeconds(5));
    assertThat(time.allowsOneMore()).as("5 s more").isTrue();
    time.took(Duration.ofMillis(5_001));
    assertThat(time.allowsOneMore()).isFalse();
  }

  @Test
  void aPointIsLeftOutThatWouldTakeTooLongAtThePaceOfTheOnesBefore() {
    AxisTime time = new AxisTime(Duration.ofSeconds(60));
    time.took(Duration.ofSeconds(1));
    time.took(Duration.ofSeconds(6));
    assertThat(time.allowsOneMore()).as("36 s more").isTrue();
    time.took(Duration.ofSeconds(20));
    assertThat(time.allowsOneMore()).as("67 s more").isFalse();
  }

  @Test
  void zeroIsNoBound() {
    AxisTime time = new AxisTime(Duration.ZERO);
    time.took(Duration.ofDays(1));
    assertThat(time.allowsOneMore()).isTrue();
  }
}
