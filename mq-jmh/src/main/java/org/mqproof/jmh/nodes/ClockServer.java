package org.mqproof.jmh.nodes;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells other machines what time it is here, by UDP: an answer has the question's eight bytes, then
 * when the question came and when the answer left, nanoseconds since 1970, big-endian. For one
 * thread; {@link #close} from any.
 */
public final class ClockServer implements AutoCloseable {

  static final int ANSWER_BYTES = 3 * Long.BYTES;

  private static final int POLL_INTERVAL_MILLIS = 200;

  private final DatagramSocket socket;
  private final LongSupplier clock;

  /**
   * Listens.
   *
   * @param clock what time it is, nanoseconds since 1970
   */
  public ClockServer(InetSocketAddress address, LongSupplier clock) throws IOException {
    socket = new DatagramSocket(address);
    this.clock = clock;
  }

  int port() {
    return socket.getLocalPort();
  }

  /**
   * Answers for a time, or until closed.
   *
   * @throws IOException if the network fails
   */
  public void serve(Duration time) throws IOException {
    socket.setSoTimeout(POLL_INTERVAL_MILLIS);
    long end = System.nanoTime() + time.toNanos();
    byte[] bytes = new byte[ANSWER_BYTES];
    DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
    while (System.nanoTime() < end) {
      packet.setLength(ANSWER_BYTES);
      try {
        socket.receive(packet);
      } catch (SocketTimeoutException e) {
        continue; // nobody asked; is it time to end?
      } catch (SocketException e) {
        if (socket.isClosed()) {
          return;
        }
        throw e;
      }
      long arrived = clock.getAsLong();
      if (packet.getLength() == Long.BYTES) {
        ByteBuffer answer = ByteBuffer.wrap(bytes);
        answer.putLong(Long.BYTES, arrived).putLong(2 * Long.BYTES, clock.getAsLong());
        packet.setLength(ANSWER_BYTES);
        socket.send(packet);
      }
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
