package org.mqproof.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicsTest {

  @Test
  void namesHaveTheBrokersLettersAndStayApart() {
    assertThat(Topics.base("a.b_c-D")).isEqualTo("a%b_c-D");
    String common = "q".repeat(199);
    assertThat(Topics.base(common + "x")).hasSize(81).isNotEqualTo(Topics.base(common + "y"));
    assertThat(Topics.base("q".repeat(80))).isEqualTo("q".repeat(80));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 0, false",
    "'q|1', 1, true",
    "'q|1,q|1|', 1, false",
    "'q|1|', 1, false",
    "'q|1|,q|2', 2, true",
    "'q|9,q|9|,q|10', 10, true",
    "'qq|3,q%|4', 0, false",
  })
  void theHighestNumberTellsWhetherAQueueIsThere(String topics, long number, boolean isThere) {
    Topics.Latest latest = Topics.latest(Set.of(topics.split(",")), "q");

    assertThat(latest.number()).isEqualTo(number);
    assertThat(latest.isThere()).isEqualTo(isThere);
  }
}
