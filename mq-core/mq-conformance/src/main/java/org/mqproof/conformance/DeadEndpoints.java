package org.mqproof.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Two TCP endpoints on the loopback interface for tests of adapters: one refuses connections, the
 * other accepts them and never answers. Thread-safe; starts no thread.
 */
public final class DeadEndpoints implements AutoCloseable {

  /** More connections than a client opens before it gives up. */
  private static final int BACKLOG = 1024;

  private final Socket refusing = new Socket();
  private final ServerSocket silent;

  /**
   * Reserves both ports until {@link #close()}.
   *
   * @throws UncheckedIOException if there is no free port
   */
  public DeadEndpoints() {
    try {
      InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      // Bound, so that nobody else gets the port, but not listening: connections are refused.
      refusing.bind(new InetSocketAddress(loopback, 0));
      // Never accept()ed: the kernel completes connections, and nothing is ever read or written.
      silent = new ServerSocket(0, BACKLOG, loopback);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot reserve two loopback ports", e);
    }
  }

  /**
   * The endpoint that refuses connections.
   *
   * @return for example {@code "127.0.0.1:40123"}
   */
  public String refusing() {
    return "127.0.0.1:" + refusing.getLocalPort();
  }

  /**
   * The endpoint that accepts connections and never answers.
   *
   * @return for example {@code "127.0.0.1:40124"}
   */
  public String silent() {
    return "127.0.0.1:" + silent.getLocalPort();
  }

  /** Frees both ports. Idempotent. */
  @Override
  public void close() {
    try (refusing;
        silent) {
      // both are closed here
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close a loopback socket", e);
    }
  }
}
