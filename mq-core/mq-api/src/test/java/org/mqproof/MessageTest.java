package org.mqproof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {

  @Test
  void countsBodyAndHeadersInUtf8() {
    Message message = new Message(new byte[10], Map.of("name", "é", "b", "\uD83D\uDE00\t"));

    assertThat(message.headersBytes()).isEqualTo(4 + 2 + 1 + 4 + 1);
    assertThat(message.sizeBytes()).isEqualTo(10 + 12);
  }

  @Test
  void withoutHeadersIsAsLargeAsItsBody() {
    assertThat(new Message(new byte[10]).sizeBytes()).isEqualTo(10);
    assertThat(new Message(new byte[10], Map.of()).headers()).isSameAs(Map.of());
  }

  @Test
  void keepsACopyOfItsHeaders() {
    Map<String, String> headers = new HashMap<>(Map.of("a", "1"));
    Message message = new Message(new byte[0], headers);
    headers.put("b", "2");

    assertThat(message.headers()).isEqualTo(Map.of("a", "1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "with space", "é", "a:b", "a/b", ".a", "a.", "a..b"})
  void refusesNamesThatNotEverySystemCarries(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Message(new byte[0], Map.of(name, "value")))
        .withMessageContaining("a header's name has 1 to 100")
        .withMessageContaining("'" + name + "'");
    assertThat(Message.isValidHeader(name, "value")).isFalse();
  }

  @Test
  void refusesNamesOfMoreThanAHundredCharacters() {
    assertThat(Message.isValidHeader("a.b.c-_9", "value")).isTrue();
    assertThat(Message.isValidHeader("n".repeat(100), "value")).isTrue();
    assertThat(Message.isValidHeader("n".repeat(101), "value")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\0b", "\u001F", "\uD83D", "\uDE00", "\uFFFF"})
  void refusesValuesThatNotEverySystemCarries(String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Message(new byte[0], Map.of("name", value)))
        .withMessageContaining("the value of header name");
    assertThat(Message.isValidHeader("name", value)).isFalse();
  }

  @Test
  void namesItsHeadersInItsTextButNotTheirValues() {
    assertThat(new Message(new byte[3], Map.of("a", "secret")))
        .hasToString("Message[3 bytes, headers [a]]");
  }
}
