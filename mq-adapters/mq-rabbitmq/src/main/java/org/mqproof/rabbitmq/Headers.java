package org.mqproof.rabbitmq;

import com.rabbitmq.client.LongString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;

/**
 * Headers of messages as AMQP carries them: a table of long strings, in one frame with the other
 * properties. Without headers there is no table. No state.
 */
final class Headers {

  /** In the table: the length of a name, the type of a value, the length of a value. */
  private static final int OVERHEAD_BYTES = 1 + 1 + Integer.BYTES;

  /** Table length, and the content header around the table: class, weight, size, flags, mode. */
  private static final int AROUND_BYTES = Integer.BYTES + 2 + 2 + Long.BYTES + 2 + 1;

  private static final int MOST = 1_000;
  private static final int LARGEST_BYTES = 64 << 10;

  /** The broker or one of its plugins acts on these, or sets them itself. */
  private static final List<String> RESERVED = List.of("CC", "BCC", "x-delay");

  private static final List<String> RESERVED_PREFIXES =
      List.of(
          "x-acquired-",
          "x-death",
          "x-delivery-",
          "x-exchange",
          "x-first-death-",
          "x-invalid-",
          "x-last-death-",
          "x-opt-",
          "x-received-from",
          "x-routing-",
          "x-shovelled",
          "x-stream-");

  private Headers() {}

  /** Most headers whose frame fits, however long they are. */
  static int most(int frameMax) {
    return Math.min(MOST, room(frameMax) / 2 / OVERHEAD_BYTES);
  }

  /** Largest bytes of names and values whose frame fits, also with the most headers. */
  static int largestBytes(int frameMax) {
    return Math.min(LARGEST_BYTES, room(frameMax) - most(frameMax) * OVERHEAD_BYTES);
  }

  private static int room(int frameMax) {
    int largest = frameMax == 0 ? Integer.MAX_VALUE : frameMax;
    return largest - Outbox.FRAME_OVERHEAD_BYTES - AROUND_BYTES;
  }

  static boolean isReserved(String name) {
    return RESERVED.contains(name) || RESERVED_PREFIXES.stream().anyMatch(name::startsWith);
  }

  /** What a client gets that reads a message of another one: only texts can be headers here. */
  static Map<String, String> of(@Nullable Map<String, Object> table) {
    if (table == null || table.values().stream().noneMatch(LongString.class::isInstance)) {
      return Map.of(); // most often: a quorum queue adds a number
    }
    Map<String, String> headers = new HashMap<>();
    table.forEach(
        (name, value) -> {
          if (value instanceof LongString string && !isReserved(name)) {
            String text = string.toString();
            boolean utf8 = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), string.getBytes());
            if (utf8 && Message.isValidHeader(name, text)) {
              headers.put(name, text);
            }
          }
        });
    return headers;
  }

  /**
   * Which delivery of a message it is.
   *
   * @param table of the delivery
   * @param counted whether the queue counts deliveries
   * @return from 1 on; 0 if nobody counts
   */
  static int attempt(@Nullable Map<String, Object> table, boolean counted) {
    // RabbitMQ 4 leaves some deliveries out of the first count, and none out of the second.
    int before = Math.max(count(table, "x-delivery-count"), count(table, "x-acquired-count"));
    return before > 0 || counted ? Math.max(0, before) + 1 : 0;
  }

  private static int count(@Nullable Map<String, Object> table, String name) {
    Object value = table == null ? null : table.get(name);
    return value instanceof Number number
        ? (int) Math.min(Integer.MAX_VALUE - 1, number.longValue())
        : 0;
  }
}
