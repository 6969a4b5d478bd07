package org.mqproof.cluster.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;

/**
 * A block of ports that stays with one cluster, also while a node is down and its port is free.
 *
 * <p>The first port of the block is the lock: this JVM listens on it, so that no other cluster
 * takes the block, and the kernel frees it when the JVM dies. The blocks lie below the ranges from
 * which Linux and macOS take ports for outgoing connections, so that no connection takes a dead
 * node's port. Immutable but for {@link #close()}.
 */
final class Ports implements AutoCloseable {

  private static final int LOWEST = 20_000;
  private static final int BLOCK = 20;
  private static final int BLOCKS = 600; // up to 31,999; Linux gives out ports from 32,768

  private final ServerSocket lock;

  private Ports(ServerSocket lock) {
    this.lock = lock;
  }

  /**
   * Takes a free block.
   *
   * @throws ClusterException if there is none
   */
  static Ports take() {
    int start = ThreadLocalRandom.current().nextInt(BLOCKS); // so that two starts seldom collide
    for (int i = 0; i < BLOCKS; i++) {
      int first = LOWEST + (start + i) % BLOCKS * BLOCK;
      Ports ports = tryTake(first);
      if (ports != null) {
        return ports;
      }
    }
    throw new ClusterException(
        "no %d free ports in a row from %d to %d"
            .formatted(BLOCK, LOWEST, LOWEST + BLOCK * BLOCKS - 1));
  }

  /** Takes the block that starts at {@code first}, or null if any of it is in use. */
  static @Nullable Ports tryTake(int first) {
    ServerSocket lock;
    try {
      lock = listen(first);
    } catch (IOException taken) {
      return null; // by another cluster, or by whatever else listens there
    }
    for (int port = first + 1; port < first + BLOCK; port++) {
      try {
        listen(port).close();
      } catch (IOException taken) {
        close(lock);
        return null;
      }
    }
    return new Ports(lock);
  }

  /** The lock is on loopback like the nodes, so nothing outside this machine ever sees it. */
  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * A port of the block.
   *
   * @param index 1 to 19
   */
  int port(int index) {
    if (index < 1 || index >= BLOCK) {
      throw new IllegalArgumentException("index must be 1 to 19, was " + index);
    }
    return lock.getLocalPort() + index;
  }

  /** Which of the machine's blocks this is, from 0; no other cluster has it. */
  int number() {
    return (lock.getLocalPort() - LOWEST) / BLOCK;
  }

  @Override
  public void close() {
    close(lock);
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot release port " + socket.getLocalPort(), e);
    }
  }
}
