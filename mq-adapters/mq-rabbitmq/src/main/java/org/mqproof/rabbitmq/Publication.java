package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What stands before the body of each message that one channel publishes to one queue: the frames
 * of {@code basic.publish} (default exchange, mandatory) and of the content header (persistent, and
 * the headers). Encoded once for all messages without headers. Immutable.
 */
final class Publication {

  private static final int CLASS_BASIC = 60;
  private static final int METHOD_PUBLISH = 40;
  private static final int MANDATORY = 1;
  private static final int HAS_HEADERS = 1 << 13;
  private static final int HAS_DELIVERY_MODE = 1 << 12;
  private static final int PERSISTENT = 2;
  private static final int LONG_STRING = 'S';

  /** Class and weight stand before the body's size in a content header. */
  private static final int SIZE_OFFSET_IN_HEADER = 4;

  private final int channel;
  private final int largestPayload;
  private final byte[] method;
  private final byte[] start;

  /**
   * Encodes it.
   *
   * @param frameMax largest frame the broker takes, 0 for any
   */
  Publication(int channel, String physicalQueue, int frameMax) {
    this.channel = channel;
    largestPayload = frameMax == 0 ? Integer.MAX_VALUE : frameMax - Outbox.FRAME_OVERHEAD_BYTES;
    try {
      method = method(physicalQueue);
      start = encode(Map.of());
    } catch (IOException e) {
      throw new UncheckedIOException("a byte array takes everything", e);
    }
  }

  private byte[] encode(Map<String, String> headers) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    writeFrame(out, AMQP.FRAME_METHOD, method);
    writeFrame(out, AMQP.FRAME_HEADER, header(headers));
    return bytes.toByteArray();
  }

  private static byte[] method(String queue) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(CLASS_BASIC);
    out.writeShort(METHOD_PUBLISH);
    out.writeShort(0); // reserved
    out.writeByte(0); // the default exchange has an empty name
    byte[] routingKey = queue.getBytes(StandardCharsets.US_ASCII);
    out.writeByte(routingKey.length);
    out.write(routingKey);
    out.writeByte(MANDATORY);
    return bytes.toByteArray();
  }

  private static byte[] header(Map<String, String> headers) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(CLASS_BASIC);
    out.writeShort(0); // weight, unused
    out.writeLong(0); // the body's size, filled in for each message
    out.writeShort(headers.isEmpty() ? HAS_DELIVERY_MODE : HAS_HEADERS | HAS_DELIVERY_MODE);
    if (!headers.isEmpty()) {
      byte[] table = table(headers);
      out.writeInt(table.length);
      out.write(table);
    }
    out.writeByte(PERSISTENT);
    return bytes.toByteArray();
  }

  private static byte[] table(Map<String, String> headers) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (Map.Entry<String, String> header : headers.entrySet()) {
      out.writeByte(header.getKey().length());
      out.write(header.getKey().getBytes(StandardCharsets.US_ASCII));
      out.writeByte(LONG_STRING);
      byte[] value = header.getValue().getBytes(StandardCharsets.UTF_8);
      out.writeInt(value.length);
      out.write(value);
    }
    return bytes.toByteArray();
  }

  private void writeFrame(DataOutputStream out, int type, byte[] payload) throws IOException {
    out.writeByte(type);
    out.writeShort(channel);
    out.writeInt(payload.length);
    out.write(payload);
    out.writeByte(AMQP.FRAME_END);
  }

  int channel() {
    return channel;
  }

  /** Largest part of a body that fits in one frame. */
  int largestPayload() {
    return largestPayload;
  }

  /** Both frames, with a body size of 0; not to be changed. */
  byte[] start(Map<String, String> headers) {
    try {
      return headers.isEmpty() ? start : encode(headers);
    } catch (IOException e) {
      throw new UncheckedIOException("a byte array takes everything", e);
    }
  }

  /** Where in {@link #start} the eight bytes of the body's size are. */
  int bodySizeOffset() {
    return methodFrameBytes() + Outbox.FRAME_START_BYTES + SIZE_OFFSET_IN_HEADER;
  }

  private int methodFrameBytes() {
    return Outbox.FRAME_OVERHEAD_BYTES + method.length;
  }
}
