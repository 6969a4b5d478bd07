package org.mqproof;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/**
 * A message: a body of bytes, held and not copied, and headers, for example a trace context or a
 * content type. Compared by identity. Immutable but for what its owner does to the body.
 */
public final class Message {

  private static final int LONGEST_NAME = 100;

  private final byte[] body;
  private final Map<String, String> headers;
  private final int headersBytes;

  /**
   * Holds a body without copying it, and no headers.
   *
   * @param body 0 to {@link Traits#largestBodyBytes()} bytes
   */
  public Message(byte[] body) {
    this.body = Objects.requireNonNull(body, "body");
    headers = Map.of();
    headersBytes = 0;
  }

  /**
   * Holds a body without copying it, and a copy of the headers. What is allowed here can be carried
   * by every system, up to {@link Traits#mostHeaders()} and {@link Traits#largestHeadersBytes()}.
   *
   * @param body as in {@link #Message(byte[])}; the headers' bytes count towards its limit
   * @param headers each name is 1 to 100 characters out of {@code [a-zA-Z0-9._-]}, without a dot at
   *     its begin, at its end, or behind another dot; names that differ only in case are different;
   *     each value is at least one character, without control characters other than tab, line feed
   *     and carriage return
   * @throws IllegalArgumentException if a name or a value is not valid
   */
  public Message(byte[] body, Map<String, String> headers) {
    this.body = Objects.requireNonNull(body, "body");
    this.headers = Map.copyOf(headers);
    int bytes = 0;
    for (Map.Entry<String, String> header : this.headers.entrySet()) {
      requireValidHeader(header.getKey(), header.getValue());
      bytes += header.getKey().length();
      bytes += header.getValue().getBytes(StandardCharsets.UTF_8).length;
    }
    headersBytes = bytes;
  }

  /**
   * Whether a header can be in a message. Messages of other programs may have headers that cannot.
   *
   * @param name of the header
   * @param value of the header
   * @return whether {@link #Message(byte[], Map)} takes it
   */
  public static boolean isValidHeader(String name, String value) {
    return isValidName(name) && !value.isEmpty() && firstInvalid(value) < 0;
  }

  private static void requireValidHeader(String name, String value) {
    if (!isValidName(name)) {
      throw new IllegalArgumentException(
          "a header's name has 1 to 100 letters, digits, dashes, underscores, or single dots between"
              + " these; was '"
              + name
              + "'");
    }
    if (value.isEmpty()) {
      throw new IllegalArgumentException("the value of header " + name + " is empty");
    }
    int invalid = firstInvalid(value);
    if (invalid >= 0) {
      throw new IllegalArgumentException(
          "the value of header %s has the character U+%04X, which not every system carries"
              .formatted(name, value.codePointAt(invalid)));
    }
  }

  private static boolean isValidName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean valid = isBetween('a', c, 'z') || isBetween('A', c, 'Z') || isBetween('0', c, '9');
      valid |= c == '.' || c == '_' || c == '-';
      if (!valid) {
        return false;
      }
    }
    return !name.isEmpty()
        && name.length() <= LONGEST_NAME
        && !name.startsWith(".")
        && !name.endsWith(".")
        && !name.contains("..");
  }

  private static boolean isBetween(int first, int c, int last) {
    return first <= c && c <= last;
  }

  /** Only the characters of XML 1.0 are valid: SQS carries no others. */
  private static int firstInvalid(String value) {
    for (int i = 0; i < value.length(); ) {
      int c = value.codePointAt(i);
      boolean valid =
          isBetween(' ', c, Character.MIN_SURROGATE - 1)
              || isBetween(Character.MAX_SURROGATE + 1, c, 0xFFFD)
              || c >= Character.MIN_SUPPLEMENTARY_CODE_POINT
              || c == '\t'
              || c == '\n'
              || c == '\r';
      if (!valid) {
        return i;
      }
      i += Character.charCount(c);
    }
    return -1;
  }

  /**
   * The body itself, not a copy. Who sends must not change it until the send has ended. Who
   * receives owns it, but must not change it before a release to the same receiver: {@link
   * Release#SAME_RECEIVER}.
   *
   * @return the bytes given to the constructor
   */
  public byte[] body() {
    return body;
  }

  /**
   * The headers, in no particular order.
   *
   * @return unmodifiable; empty if there are none
   */
  public Map<String, String> headers() {
    return headers;
  }

  /**
   * Size of the headers.
   *
   * @return bytes of their names and values in UTF-8; 0 if there are none
   */
  public int headersBytes() {
    return headersBytes;
  }

  /**
   * Size of body and headers together, as {@link Traits#largestBodyBytes()} limits it.
   *
   * @return bytes
   */
  public long sizeBytes() {
    return (long) body.length + headersBytes;
  }

  @Override
  public String toString() {
    return headers.isEmpty()
        ? "Message[" + body.length + " bytes]"
        : "Message[" + body.length + " bytes, headers " + headers.keySet() + "]";
  }
}
