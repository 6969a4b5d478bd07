package org.mqproof.activemq;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A longer way to a server: everything arrives later by the same time, in both directions, and in
 * order.
 *
 * <p>It ends each TCP connection and opens another one, and holds whatever is under way. So it
 * shows what a client's own limits do (prefetch, a wait for each answer), but not what TCP does:
 * neither the window nor the socket buffers of the two ends ever limit anything, for their round
 * trip stays that of loopback.
 *
 * <p>Thread-safe. Each direction of a connection has a thread that reads and one that writes.
 */
final class DelayingForwarder implements AutoCloseable {

  private static final int CHUNK_BYTES = 64 << 10;

  private final ServerSocket listening;
  private final InetAddress host;
  private final int port;
  private final long delayNanos;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Listens on a free port of the loopback interface.
   *
   * @param address where to forward to, as {@code host:port}
   * @param delay of each direction: a round trip takes twice as long
   */
  DelayingForwarder(String address, Duration delay) throws IOException {
    int colon = address.lastIndexOf(':');
    host = InetAddress.getByName(address.substring(0, colon));
    port = Integer.parseInt(address.substring(colon + 1));
    delayNanos = delay.toNanos();
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String address() {
    return listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort();
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** What fails ends the connections it concerns, and these tell their ends. */
  private static void start(Work work, Socket... concerned) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException e) {
                Arrays.stream(concerned).forEach(DelayingForwarder::close);
              }
            },
            "delaying-forwarder");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listening.accept();
      sockets.add(client);
      Socket server = new Socket(host, port);
      sockets.add(server);
      if (closed) {
        close();
      }
      forward(client, server);
      forward(server, client);
    }
  }

  private void forward(Socket from, Socket to) throws IOException {
    to.setTcpNoDelay(true);
    BlockingQueue<Chunk> underWay = new LinkedBlockingQueue<>();
    start(() -> read(from, underWay), from, to);
    start(() -> write(underWay, to), from, to);
  }

  private void read(Socket from, BlockingQueue<Chunk> underWay)
      throws IOException, InterruptedException {
    InputStream in = from.getInputStream();
    byte[] buffer = new byte[CHUNK_BYTES];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      underWay.put(new Chunk(Arrays.copyOf(buffer, length), System.nanoTime() + delayNanos));
    }
    underWay.put(Chunk.END);
  }

  private static void write(BlockingQueue<Chunk> underWay, Socket to)
      throws IOException, InterruptedException {
    OutputStream out = to.getOutputStream();
    for (Chunk next = underWay.take(); next != Chunk.END; next = underWay.take()) {
      for (long left = next.due - System.nanoTime();
          left > 0;
          left = next.due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      out.write(next.bytes);
    }
    to.shutdownOutput();
  }

  /** Bytes and when they are due; not shared. */
  private static final class Chunk {

    static final Chunk END = new Chunk(new byte[0], 0);

    private final byte[] bytes;
    private final long due;

    Chunk(byte[] bytes, long due) {
      this.bytes = bytes;
      this.due = due;
    }
  }

  @Override
  public void close() {
    closed = true;
    close(listening);
    sockets.forEach(DelayingForwarder::close);
  }

  private static void close(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      throw new IllegalStateException("a socket that cannot be closed", e);
    }
  }
}
