package org.mqproof.jmh.systems;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.spi.MqProvider;

class WarmUpTest {

  @Test
  void windowsAgreeWhenTheLaterOneIsNoFaster() {
    assertThat(WarmUp.agree(twenty(0, 0).subList(0, 19))).as("too few").isFalse();
    assertThat(WarmUp.agree(twenty(100, 10))).as("rising").isFalse();
    assertThat(WarmUp.agree(twenty(100, 1))).as("by less than a tenth").isTrue();
    assertThat(WarmUp.agree(twenty(200, -9))).as("falling").isTrue();
    assertThat(WarmUp.agree(twenty(0, 0))).as("nothing").isFalse();
  }

  private static List<Long> twenty(long first, long step) {
    return LongStream.range(0, 20).map(second -> first + second * step).boxed().toList();
  }

  @Test
  void itEndsAtItsBoundAndSaysWhatItSaw() throws Exception {
    try (Mq mq = MqProvider.named("memory").connect(Map.of())) {
      assertThat(new WarmUp(mq, Duration.ofSeconds(2)).run())
          .matches(
              "warmed up in [12] s: [1-9][\\d,]* msgs/s in the first of them, .* still rising");
    }
  }

  @Test
  void aSystemThatRefusesEverythingIsSaidSo() {
    try (Mq mq = MqProvider.named("broken").connect(Map.of("fault", "refuse"))) {
      assertThatThrownBy(() -> new WarmUp(mq, Duration.ofSeconds(20)).run())
          .isInstanceOf(MqException.class)
          .hasMessageContaining("refused");
    }
  }
}
