package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * What is the same in every message that one channel publishes to one queue, encoded once: the
 * frames of {@code basic.publish} (default exchange, mandatory) and of the content header
 * (persistent, nothing else). Immutable.
 */
final class Publication {

  private static final int CLASS_BASIC = 60;
  private static final int METHOD_PUBLISH = 40;
  private static final int MANDATORY = 1;
  private static final int HAS_DELIVERY_MODE = 1 << 12;
  private static final int PERSISTENT = 2;

  /** Class and weight stand before the body's size in a content header. */
  private static final int SIZE_OFFSET_IN_HEADER = 4;

  private final int channel;
  private final int largestPayload;
  private final byte[] start;
  private final int bodySizeOffset;

  /**
   * Encodes it.
   *
   * @param frameMax largest frame the broker takes, 0 for any
   */
  Publication(int channel, String physicalQueue, int frameMax) {
    this.channel = channel;
    largestPayload = frameMax == 0 ? Integer.MAX_VALUE : frameMax - Outbox.FRAME_OVERHEAD_BYTES;
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      writeFrame(out, AMQP.FRAME_METHOD, method(physicalQueue));
      bodySizeOffset = bytes.size() + Outbox.FRAME_START_BYTES + SIZE_OFFSET_IN_HEADER;
      writeFrame(out, AMQP.FRAME_HEADER, header());
      start = bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("a byte array takes everything", e);
    }
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

  private static byte[] header() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(CLASS_BASIC);
    out.writeShort(0); // weight, unused
    out.writeLong(0); // the body's size, filled in for each message
    out.writeShort(HAS_DELIVERY_MODE);
    out.writeByte(PERSISTENT);
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
  byte[] start() {
    return start;
  }

  /** Where in {@link #start} the eight bytes of the body's size are. */
  int bodySizeOffset() {
    return bodySizeOffset;
  }
}
