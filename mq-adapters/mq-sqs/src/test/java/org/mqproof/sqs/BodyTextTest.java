package org.mqproof.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BodyTextTest {

  @Test
  void everyBodyIsWhatItWas() {
    byte[] bytes = new byte[300];
    for (int length = 0; length <= bytes.length; length++) {
      byte[] body = Arrays.copyOf(bytes, length);
      for (int i = 0; i < length; i++) {
        body[i] = (byte) (i - 7 * length);
      }
      String text = BodyText.of(body);
      assertThat(text).isNotEmpty().matches("=|[A-Za-z0-9+/]+");
      assertThat(BodyText.body(text)).isEqualTo(body);
    }
  }

  @Test
  void theLargestBodyJustFits() {
    for (int limit : new int[] {1 << 10, 262_143, 256 << 10, 1 << 20}) {
      int largest = BodyText.largestBody(limit);
      assertThat(BodyText.of(new byte[largest])).hasSizeLessThanOrEqualTo(limit);
      assertThat(BodyText.of(new byte[largest + 1])).hasSizeGreaterThan(limit);
    }
  }

  @Test
  void anotherSendersTextIsNoBody() {
    assertThatIllegalArgumentException().isThrownBy(() -> BodyText.body("{\"order\": 17}"));
  }
}
