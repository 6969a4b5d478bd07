package org.mqproof.sqs;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Bodies as text: SQS takes only characters that XML allows, and at least one. Base64 without
 * padding, four characters for three bytes; the empty body is a single padding character, which no
 * other body gives. Thread-safe: no state.
 */
final class BodyText {

  private static final String EMPTY = "=";

  private BodyText() {}

  /** The bytes of which a text of so many characters is made. */
  static int largestBody(int characters) {
    return (int) (characters * 3L / 4);
  }

  static String of(byte[] body) {
    return body.length == 0
        ? EMPTY
        : new String(
            Base64.getEncoder().withoutPadding().encode(body), StandardCharsets.ISO_8859_1);
  }

  /**
   * The body of a text.
   *
   * @throws IllegalArgumentException if it is not a text that was made here
   */
  static byte[] body(String text) {
    return text.equals(EMPTY) ? new byte[0] : Base64.getDecoder().decode(text);
  }
}
