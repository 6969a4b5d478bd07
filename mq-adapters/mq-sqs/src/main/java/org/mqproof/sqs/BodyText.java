package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;

/**
 * Bodies as text: SQS takes only characters that XML allows, and at least one. Thread-safe: no
 * state.
 */
enum BodyText {
  /**
   * Without padding, four characters for three bytes; the empty body is a single padding character,
   * which no other body gives.
   */
  BASE64 {
    @Override
    int largestBody(int bytes) {
      return (int) (bytes * 3L / 4);
    }

    @Override
    String of(byte[] body) {
      return body.length == 0
          ? EMPTY
          : new String(Base64.getEncoder().withoutPadding().encode(body), ISO_8859_1);
    }

    @Override
    byte[] body(String text) {
      return text.equals(EMPTY) ? new byte[0] : Base64.getDecoder().decode(text);
    }
  },

  /** UTF-8 as it is, to speak with programs that know nothing of MqProof. */
  TEXT {
    @Override
    int largestBody(int bytes) {
      return bytes;
    }

    @Override
    String of(byte[] body) {
      String text;
      try {
        text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      } catch (CharacterCodingException e) {
        throw new IllegalArgumentException("it is not UTF-8", e);
      }
      if (text.isEmpty() || !text.codePoints().allMatch(BodyText::isInXml)) {
        throw new IllegalArgumentException(
            text.isEmpty() ? "it is empty" : "it has a character that XML does not allow");
      }
      return text;
    }

    @Override
    byte[] body(String text) {
      return text.getBytes(UTF_8);
    }
  };

  private static final String EMPTY = "=";

  /** The largest body whose text has at most so many bytes. */
  abstract int largestBody(int bytes);

  /**
   * A body's text.
   *
   * @throws IllegalArgumentException if it has none
   */
  abstract String of(byte[] body);

  /**
   * The body of a text.
   *
   * @throws IllegalArgumentException if it is not a text that was made here
   */
  abstract byte[] body(String text);

  /** As the service's documentation of SendMessage lists them. */
  private static boolean isInXml(int character) {
    return character == '\t'
        || character == '\n'
        || character == '\r'
        || (character >= 0x20 && character <= 0xD7FF)
        || (character >= 0xE000 && character <= 0xFFFD)
        || character >= 0x10000;
  }
}
