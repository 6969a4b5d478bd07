package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Traits;

class MessageLimitsTest {

  private final MessageLimits limits =
      MessageLimits.of(
          Traits.mode("m").largestBodyBytes(20).mostHeaders(2).largestHeadersBytes(8).build(),
          name -> name.startsWith("x"));

  @Test
  void theLargestMessageIsTaken() {
    assertThat(limits.refusal(new Message(new byte[20]))).isNull();
    assertThat(limits.refusal(new Message(new byte[12], Map.of("ab", "12", "cd", "34")))).isNull();
  }

  @Test
  void headersCountTowardsTheSize() {
    assertThat(limits.refusal(new Message(new byte[21])))
        .isEqualTo("a message of 21 bytes is too large, the largest is 20");
    assertThat(limits.refusal(new Message(new byte[13], Map.of("ab", "12", "cd", "34"))))
        .isEqualTo("a message of 21 bytes is too large, the largest is 20");
  }

  @Test
  void headersHaveLimitsOfTheirOwn() {
    assertThat(limits.refusal(new Message(new byte[0], Map.of("a", "1", "b", "2", "c", "3"))))
        .isEqualTo("3 headers are too many, the most is 2");
    assertThat(limits.refusal(new Message(new byte[0], Map.of("a", "12345678"))))
        .isEqualTo("headers of 9 bytes are too large, the largest are 8");
  }

  @Test
  void namesThatTheSystemUsesItselfAreRefused() {
    assertThat(limits.refusal(new Message(new byte[0], Map.of("x-death", "1"))))
        .isEqualTo("the header x-death is reserved");
  }
}
