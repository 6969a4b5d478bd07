package org.mqproof.jmh.nodes;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How far a reference machine's clock is from this one's, measured by round trips: whatever the
 * network did, the true offset lies within the bound. Immutable.
 *
 * @param offsetNanos the reference's time less this machine's
 * @param boundNanos how far off that can be: half of the quickest round trip
 */
record ClockOffset(long offsetNanos, long boundNanos) {

  private static final int ROUND_TRIPS = 100;
  private static final int ENOUGH = 10;
  private static final int ANSWER_MILLIS = 500;
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Asks a {@link ClockServer}, many times; the quickest round trip counts.
   *
   * @param clock this machine's, nanoseconds since 1970
   * @throws IOException if too few answers came in ten seconds
   */
  static ClockOffset measure(InetSocketAddress server, LongSupplier clock) throws IOException {
    ClockOffset best = new ClockOffset(0, Long.MAX_VALUE);
    int answers = 0;
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(server);
      socket.setSoTimeout(ANSWER_MILLIS);
      byte[] bytes = new byte[ClockServer.ANSWER_BYTES];
      long end = System.nanoTime() + MOST_NANOS;
      for (long number = 1; answers < ROUND_TRIPS && System.nanoTime() < end; number++) {
        byte[] question = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        DatagramPacket answer = new DatagramPacket(bytes, bytes.length);
        long sent = clock.getAsLong();
        try {
          socket.send(new DatagramPacket(question, question.length));
          do {
            answer.setLength(bytes.length);
            socket.receive(answer);
          } while (answer.getLength() < bytes.length || ByteBuffer.wrap(bytes).getLong() != number);
        } catch (SocketTimeoutException e) {
          continue; // a lost packet; too many of them are an error below
        }
        answers++;
        best = best.orIfLess(of(sent, ByteBuffer.wrap(bytes), clock.getAsLong()));
      }
    }
    if (answers < ENOUGH) {
      throw new IOException(
          "the clock at %s:%d gave %d answers in %d s, at least %d are needed"
              .formatted(
                  server.getHostString(),
                  server.getPort(),
                  answers,
                  TimeUnit.NANOSECONDS.toSeconds(MOST_NANOS),
                  ENOUGH));
    }
    return best;
  }

  private static ClockOffset of(long sent, ByteBuffer answer, long received) {
    long arrived = answer.getLong(Long.BYTES);
    long left = answer.getLong(2 * Long.BYTES);
    long underWay = received - sent - (left - arrived);
    return new ClockOffset((arrived - sent + left - received) / 2, (underWay + 1) / 2);
  }

  private ClockOffset orIfLess(ClockOffset other) {
    return other.boundNanos < boundNanos ? other : this;
  }
}
