package org.mqproof.rabbitmq;

import com.rabbitmq.client.WriteListener;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.SocketFrameHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The client's own frame handler over a socket, plain or with TLS, but for its way out: frames go
 * through an {@link Outbox}, to which senders and receivers here add theirs directly. Everything
 * else, the handshake, heartbeats, channels and what all that arrives means, stays with the client;
 * an {@link Inbox} only knows when the socket is read. Thread-safe.
 */
final class Wire extends SocketFrameHandler {

  /** A plain socket that is read through an {@link Inbox}. */
  static final class Plug extends Socket {

    private @Nullable Inbox inbox;

    @Override
    public synchronized Inbox getInputStream() throws IOException {
      if (inbox == null) {
        inbox = new Inbox(super.getInputStream());
      }
      return inbox;
    }

    /** Closes it under everybody: the reading thread then reports the connection as lost. */
    void pull() {
      try {
        close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot close a socket", e);
      }
    }
  }

  private final Plug plug;
  private final Inbox inbox;
  private final Outbox outbox;

  /**
   * Takes over a connected socket.
   *
   * @param plug what the network brings is read through it
   * @param socket the same, or what encrypts over it
   * @param stuck longest that a write may keep others waiting
   */
  Wire(Plug plug, Socket socket, int largestBodyBytes, Duration stuck) throws IOException {
    super(socket, null, largestBodyBytes);
    this.plug = plug;
    inbox = plug.getInputStream();
    outbox = new Outbox(socket.getOutputStream(), plug::pull, stuck);
  }

  Inbox inbox() {
    return inbox;
  }

  Outbox outbox() {
    return outbox;
  }

  @Override
  public void writeFrame(Frame frame) throws IOException {
    outbox.add(frame);
  }

  @Override
  public void flush(WriteListener listener) throws IOException {
    try {
      outbox.flush();
    } catch (IOException e) {
      if (listener != null) {
        listener.done(false, e);
      }
      throw e;
    }
    if (listener != null) {
      listener.done(true, null);
    }
  }

  @Override
  public void close() {
    outbox.flushIfIdle();
    plug.pull();
  }
}
