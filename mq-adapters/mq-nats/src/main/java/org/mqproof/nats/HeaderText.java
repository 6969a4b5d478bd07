package org.mqproof.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.impl.Headers;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;

/**
 * Headers as NATS carries them: lines of ASCII. A value that is no such line, or begins like one
 * that is encoded, travels as an encoded word of RFC 2047, {@code =?UTF-8?B?...?=}; every other
 * value as it is. No state.
 */
final class HeaderText {

  private static final String BEGIN = "=?UTF-8?B?";
  private static final String END = "?=";

  /** The first line of a block of headers, and the empty one at its end. */
  private static final int BLOCK_BYTES = "NATS/1.0\r\n\r\n".length();

  /** A colon and the end of the line. */
  private static final int LINE_BYTES = ":\r\n".length();

  private HeaderText() {}

  /**
   * How many bytes more than {@link Message#sizeBytes()} a message can have on the wire.
   *
   * @param headers most of them
   * @param bytes largest {@link Message#headersBytes()}
   */
  static int mostMoreBytes(int headers, int bytes) {
    // Base64 makes 4 bytes of 3, and of 1 or 2 at the end.
    int encoded = BEGIN.length() + END.length() + 4;
    return BLOCK_BYTES + headers * (LINE_BYTES + encoded) + bytes / 3;
  }

  /** Whether the servers have a meaning of their own for a header. */
  static boolean isReserved(String name) {
    return name.toLowerCase(Locale.ROOT).startsWith("nats-");
  }

  /** The headers of a message; null, and nothing on the wire, if there are none. */
  static @Nullable Headers of(Message message) {
    if (message.headers().isEmpty()) {
      return null;
    }
    Headers headers = new Headers();
    message.headers().forEach((name, value) -> headers.put(name, encode(value)));
    return headers;
  }

  private static String encode(String value) {
    if (isLine(value)) {
      return value;
    }
    return BEGIN + Base64.getEncoder().encodeToString(value.getBytes(UTF_8)) + END;
  }

  private static boolean isLine(String value) {
    boolean printable = value.chars().allMatch(c -> c >= ' ' && c <= '~');
    return printable && value.equals(value.strip()) && !value.startsWith("=?");
  }

  /** The message that came with headers; what a message cannot have is left out. */
  static Message message(byte[] body, @Nullable Headers headers) {
    if (headers == null || headers.isEmpty()) {
      return new Message(body);
    }
    Map<String, String> valid = new HashMap<>();
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      String value = header.getValue().isEmpty() ? "" : decode(header.getValue().get(0));
      if (Message.isValidHeader(header.getKey(), value)) {
        valid.put(header.getKey(), value);
      }
    }
    return valid.isEmpty() ? new Message(body) : new Message(body, valid);
  }

  private static String decode(String value) {
    int shortest = BEGIN.length() + END.length();
    if (value.length() < shortest || !value.startsWith(BEGIN) || !value.endsWith(END)) {
      return value;
    }
    String text = value.substring(BEGIN.length(), value.length() - END.length());
    try {
      return new String(Base64.getDecoder().decode(text), UTF_8);
    } catch (IllegalArgumentException e) {
      return value; // of another program, which means something else by it
    }
  }
}
