package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyTextTest {

  @Test
  void everyBodyIsWhatItWas() {
    byte[] bytes = new byte[300];
    for (int length = 0; length <= bytes.length; length++) {
      byte[] body = Arrays.copyOf(bytes, length);
      for (int i = 0; i < length; i++) {
        body[i] = (byte) (i - 7 * length);
      }
      String text = BodyText.BASE64.of(body);
      assertThat(text).isNotEmpty().matches("=|[A-Za-z0-9+/]+");
      assertThat(BodyText.BASE64.body(text)).isEqualTo(body);
    }
  }

  @Test
  void theLargestBodyJustFits() {
    for (int limit : new int[] {1 << 10, 262_143, 256 << 10, 1 << 20}) {
      int largest = BodyText.BASE64.largestBody(limit);
      assertThat(BodyText.BASE64.of(new byte[largest])).hasSizeLessThanOrEqualTo(limit);
      assertThat(BodyText.BASE64.of(new byte[largest + 1])).hasSizeGreaterThan(limit);
    }
  }

  @Test
  void anotherSendersTextIsNoBody() {
    assertThatIllegalArgumentException().isThrownBy(() -> BodyText.BASE64.body("{\"order\": 17}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"order\": 17}", "=", "a", "\t\n\r", "茶 \uD83C\uDF75 \uFFFD"})
  void aTextStaysAsItIs(String text) {
    assertThat(BodyText.TEXT.of(text.getBytes(UTF_8))).isEqualTo(text);
    assertThat(BodyText.TEXT.body(text)).isEqualTo(text.getBytes(UTF_8));
    assertThat(BodyText.TEXT.largestBody(1 << 10)).isEqualTo(1 << 10);
  }

  @ParameterizedTest
  @CsvSource({"'', it is empty", "ff, it is not UTF-8", "c080, it is not UTF-8"})
  void whatIsNoTextIsRefused(String hex, String why) {
    byte[] body = HexFormat.of().parseHex(hex);
    assertThatIllegalArgumentException().isThrownBy(() -> BodyText.TEXT.of(body)).withMessage(why);
  }

  @ParameterizedTest
  @ValueSource(chars = {0, 1, 0x1F, 0xFFFE, 0xFFFF})
  void whatXmlDoesNotAllowIsRefused(char character) {
    byte[] body = ("a" + character).getBytes(UTF_8);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BodyText.TEXT.of(body))
        .withMessage("it has a character that XML does not allow");
  }
}
