package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.Frame;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.mqproof.Message;

/**
 * Where the frames of one connection wait for the socket: whoever flushes writes all that is there,
 * also what other threads added, in one call of the operating system.
 *
 * <p>The client flushes each message that it publishes, and allocates some 2 KB for it; at small
 * messages that costs more than all else it does. Here a batch is encoded into a buffer that is
 * used again and again, and then written once. Each method adds whole frames; a body in several
 * frames may be interleaved with frames of other channels, as AMQP allows.
 *
 * <p>Thread-safe. Adding never waits, but for {@link #publish}, which flushes a full buffer.
 * Flushing waits for the socket, at most as long as the constructor says: then it breaks the
 * connection.
 */
final class Outbox {

  /** Type, channel and length stand before the payload of a frame. */
  static final int FRAME_START_BYTES = 7;

  /** And one byte after it. */
  static final int FRAME_OVERHEAD_BYTES = FRAME_START_BYTES + 1;

  /** A full buffer: large enough that a call per buffer costs nothing per message. */
  private static final int FULL_BYTES = 64 << 10;

  private static final int CLASS_BASIC = 60;
  private static final int METHOD_ACK = 80;
  private static final int ACK_PAYLOAD_BYTES = 13;

  private final OutputStream socket;
  private final Runnable breakConnection;
  private final long stuckNanos;
  // Never held while the socket is written.
  private final ReentrantLock filling = new ReentrantLock();
  private final ReentrantLock writing = new ReentrantLock();
  private Buffer current = new Buffer(); // guarded by filling
  private long added; // bytes, ever; guarded by filling
  private Buffer spare = new Buffer(); // guarded by writing
  private volatile long written; // bytes, ever; changed by who holds writing
  private volatile boolean broken;

  /**
   * Starts empty.
   *
   * @param breakConnection closes the socket, from any thread
   * @param stuck longest that others wait for a thread that writes to the socket
   */
  Outbox(OutputStream socket, Runnable breakConnection, Duration stuck) {
    this.socket = socket;
    this.breakConnection = breakConnection;
    stuckNanos = stuck.toNanos();
  }

  /** Adds a frame that the client made. */
  void add(Frame frame) throws IOException {
    filling.lock();
    try {
      int before = current.size;
      frame.writeTo(current.data);
      added += current.size - before;
    } finally {
      filling.unlock();
    }
  }

  /** Adds an ack of one delivery, or of all that the channel delivered up to it. */
  void ack(int channel, long deliveryTag, boolean multiple) {
    filling.lock();
    try {
      Buffer buffer = current;
      int before = buffer.size;
      buffer.ensure(FRAME_OVERHEAD_BYTES + ACK_PAYLOAD_BYTES);
      buffer.startFrame(AMQP.FRAME_METHOD, channel, ACK_PAYLOAD_BYTES);
      buffer.putShort(CLASS_BASIC);
      buffer.putShort(METHOD_ACK);
      buffer.putLong(buffer.size, deliveryTag);
      buffer.size += Long.BYTES;
      buffer.putByte(multiple ? 1 : 0);
      buffer.putByte(AMQP.FRAME_END);
      added += buffer.size - before;
    } finally {
      filling.unlock();
    }
  }

  /** Adds a message, and flushes when the buffer is full. */
  void publish(Publication publication, Message message) throws IOException {
    byte[] body = message.body();
    int length = Math.min(body.length, publication.largestPayload());
    boolean full;
    filling.lock();
    try {
      Buffer buffer = current;
      int before = buffer.size;
      byte[] start = publication.start(message.headers());
      buffer.ensure(start.length + FRAME_OVERHEAD_BYTES + length);
      buffer.putLong(
          buffer.put(start, 0, start.length) + publication.bodySizeOffset(), body.length);
      if (length > 0) {
        buffer.bodyFrame(publication.channel(), body, 0, length);
      }
      added += buffer.size - before;
      full = buffer.size >= FULL_BYTES;
    } finally {
      filling.unlock();
    }
    if (full) {
      flush();
    }
    for (int offset = length; offset < body.length; offset += length) {
      length = Math.min(body.length - offset, publication.largestPayload());
      continueBody(publication.channel(), body, offset, length);
      flush();
    }
  }

  private void continueBody(int channel, byte[] body, int offset, int length) {
    filling.lock();
    try {
      current.ensure(FRAME_OVERHEAD_BYTES + length);
      current.bodyFrame(channel, body, offset, length);
      added += FRAME_OVERHEAD_BYTES + length;
    } finally {
      filling.unlock();
    }
  }

  /**
   * Returns when all that was added before is written, by this thread or by another.
   *
   * @throws IOException if the connection is broken, or now is
   */
  void flush() throws IOException {
    long goal = addedSoFar();
    if (written >= goal) {
      return;
    }
    if (!lockWriting(stuckNanos)) {
      broken = true;
      breakConnection.run();
      throw new IOException(
          "the socket took nothing for %d ms".formatted(Duration.ofNanos(stuckNanos).toMillis()));
    }
    try {
      if (written < goal) {
        write();
      }
    } finally {
      writing.unlock();
    }
  }

  /** Like {@link #flush}, but does nothing if another thread writes just now, or if that fails. */
  void flushIfIdle() {
    if (!broken && lockWriting(0)) {
      try {
        write();
      } catch (IOException e) {
        broken = true; // the connection is about to be closed, and nobody waits for this
      } finally {
        writing.unlock();
      }
    }
  }

  private long addedSoFar() {
    filling.lock();
    try {
      return added;
    } finally {
      filling.unlock();
    }
  }

  /** The caller holds {@code writing}. */
  private void write() throws IOException {
    if (broken) {
      throw new IOException("the connection is broken");
    }
    Buffer full;
    long end;
    filling.lock();
    try {
      full = current;
      current = spare;
      end = added;
    } finally {
      filling.unlock();
    }
    spare = full;
    try {
      socket.write(full.bytes, 0, full.size);
    } catch (IOException e) {
      broken = true;
      breakConnection.run();
      throw e;
    } finally {
      full.size = 0;
    }
    written = end;
  }

  /** Waits for the lock like {@code lock()}, but not longer than this. */
  private boolean lockWriting(long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return writing.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true; // half a batch must not stay behind; who sent it looks at the flag
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Bytes that grow as needed; guarded as the field that holds it. */
  private static final class Buffer extends OutputStream {

    private byte[] bytes = new byte[FULL_BYTES + (16 << 10)];
    private int size;
    private final DataOutputStream data = new DataOutputStream(this);

    private void ensure(int more) {
      if (bytes.length - size < more) {
        bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), bytes.length * 2));
      }
    }

    @Override
    public void write(int b) {
      ensure(1);
      putByte(b);
    }

    @Override
    public void write(byte[] b, int offset, int length) {
      ensure(length);
      put(b, offset, length);
    }

    private void startFrame(int type, int channel, int payloadBytes) {
      putByte(type);
      putShort(channel);
      putShort(payloadBytes >>> 16);
      putShort(payloadBytes);
    }

    private void bodyFrame(int channel, byte[] body, int offset, int length) {
      startFrame(AMQP.FRAME_BODY, channel, length);
      put(body, offset, length);
      putByte(AMQP.FRAME_END);
    }

    private void putByte(int b) {
      bytes[size++] = (byte) b;
    }

    private void putShort(int s) {
      bytes[size++] = (byte) (s >>> 8);
      bytes[size++] = (byte) s;
    }

    /** Overwrites eight bytes. */
    private void putLong(int at, long value) {
      for (int i = 0; i < Long.BYTES; i++) {
        bytes[at + i] = (byte) (value >>> (56 - 8 * i));
      }
    }

    /** Adds bytes and says where they begin. */
    private int put(byte[] from, int offset, int length) {
      int begin = size;
      System.arraycopy(from, offset, bytes, begin, length);
      size += length;
      return begin;
    }
  }
}
