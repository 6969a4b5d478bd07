package org.mqproof.kafka;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;

/** Headers of messages as Kafka's record headers, texts in UTF-8. No state. */
final class TextHeaders {

  /**
   * Each takes up to 5 bytes more than its name and value, and topics of version 0.1.0 have some
   * 900 bytes to spare.
   */
  static final int MOST = 100;

  static final int LARGEST_BYTES = 64 << 10;

  private TextHeaders() {}

  /** For a record; null if there are none. */
  static @Nullable Iterable<Header> of(Message message) {
    Map<String, String> headers = message.headers();
    if (headers.isEmpty()) {
      return null;
    }
    List<Header> written = new ArrayList<>(headers.size());
    headers.forEach(
        (name, value) ->
            written.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8))));
    return written;
  }

  /**
   * Reads those that are texts. Of several with one name the last counts.
   *
   * @param headers of a record, also of another program
   */
  static Map<String, String> read(Headers headers) {
    Map<String, String> read = null;
    for (Header header : headers) {
      String text = text(header.value());
      if (text != null && Message.isValidHeader(header.key(), text)) {
        read = read == null ? new HashMap<>() : read;
        read.put(header.key(), text);
      }
    }
    return read == null ? Map.of() : read;
  }

  private static @Nullable String text(byte @Nullable [] value) {
    if (value == null) {
      return null;
    }
    String text = new String(value, StandardCharsets.UTF_8);
    return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value) ? text : null;
  }
}
