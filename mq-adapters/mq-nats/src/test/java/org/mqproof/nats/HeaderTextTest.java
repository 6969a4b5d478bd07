package org.mqproof.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.impl.Headers;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Message;

class HeaderTextTest {

  private static Map<String, String> roundTrip(Map<String, String> headers) {
    Headers carried = HeaderText.of(new Message(new byte[1], headers));
    return HeaderText.message(new byte[1], carried).headers();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        " at its ends ",
        "\t",
        "two\r\nlines",
        "ß, 漢字 and 😀",
        "=?UTF-8?B?bm90IG91cnM=?=",
        "=?UTF-8?B?=",
        "\u007f",
      })
  void everyValueComesAsItWas(String value) {
    assertThat(roundTrip(Map.of("name", value))).isEqualTo(Map.of("name", value));
  }

  @Test
  void whatIsOneLineOfAsciiIsSeenByOthersAsItIs() {
    Headers carried =
        Objects.requireNonNull(
            HeaderText.of(
                new Message(new byte[0], Map.of("traceparent", "00-1", "greeting", "olá"))));

    assertThat(carried.getFirst("traceparent")).isEqualTo("00-1");
    assertThat(carried.getFirst("greeting")).isEqualTo("=?UTF-8?B?b2zDoQ==?=");
  }

  @Test
  void namesThatDifferInCaseAreDifferent() {
    assertThat(roundTrip(Map.of("id", "1", "ID", "2"))).isEqualTo(Map.of("id", "1", "ID", "2"));
  }

  @Test
  void aMessageWithoutHeadersHasNone() {
    assertThat(HeaderText.of(new Message(new byte[0]))).isNull();
  }

  @Test
  void whatAMessageCannotHaveIsLeftOut() {
    Headers foreign =
        new Headers().put("not-our-name!", "x").put("empty", "").put("good", "1", "2");

    assertThat(HeaderText.message(new byte[0], foreign).headers()).isEqualTo(Map.of("good", "1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Nats-Msg-Id", "NATS-TTL", "nats-rollup"})
  void namesOfTheServersAreReserved(String name) {
    assertThat(HeaderText.isReserved(name)).isTrue();
    assertThat(HeaderText.isReserved("X-" + name)).isFalse();
  }

  /** Whatever the values are, and however many: the limit leaves room for them. */
  @Test
  void noHeadersNeedMoreThanTheLimitLeavesForThem() {
    for (int count = 1; count <= 100; count++) {
      for (int length = 1; length <= 7; length++) {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < count; i++) {
          headers.put("n" + i, "\n".repeat(length));
        }
        Message message = new Message(new byte[0], headers);
        Headers carried = Objects.requireNonNull(HeaderText.of(message));
        assertThat(carried.serializedLength())
            .isLessThanOrEqualTo(
                message.headersBytes() + HeaderText.mostMoreBytes(count, message.headersBytes()));
      }
    }
  }
}
