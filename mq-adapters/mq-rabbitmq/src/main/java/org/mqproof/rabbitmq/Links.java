package org.mqproof.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.impl.FrameHandlerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/**
 * One connection that senders of a {@link RabbitMq} share, or all receivers: opened when it is
 * needed, and opened anew, to any node that answers, after it was lost. Thread-safe.
 */
final class Links {

  /** RabbitMQ's own limit of a message, far above what is sent here. */
  private static final int LARGEST_INBOUND_BYTES = 512 << 20;

  private final RabbitSettings settings;
  private final String role;
  private final ScheduledExecutorService watch;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Link current; // changed under the lock
  // Of the last attempt to connect; guarded by lock.
  private @Nullable MqException failure;
  private long failedNanos;
  private boolean closed;

  /**
   * Connects to nothing yet.
   *
   * @param role shown by the broker's tools
   * @param watch for heartbeats, and for the bound on connecting
   */
  Links(RabbitSettings settings, String role, ScheduledExecutorService watch) {
    this.settings = settings;
    this.role = role;
    this.watch = watch;
  }

  /**
   * The connection, now open.
   *
   * @throws MqException if no node answers within {@code connect.bound}
   */
  Link get() {
    Link open = current;
    if (open != null && open.isOpen()) {
      return open;
    }
    long askedNanos = System.nanoTime();
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("this connection to " + settings.endpoint() + " is closed");
      }
      open = current;
      if (open != null && open.isOpen()) {
        return open;
      }
      if (failure != null && failedNanos - askedNanos > 0) {
        // Another thread tried while this one waited; each trying for itself would take too long.
        throw new MqException(String.valueOf(failure.getMessage()), failure);
      }
      open = connect();
      current = open;
      return open;
    } catch (MqException e) {
      failure = e;
      failedNanos = System.nanoTime();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  private Link connect() {
    Duration bound = settings.get(RabbitSettings.CONNECT_BOUND);
    long deadline = System.nanoTime() + bound.toNanos();
    List<Address> addresses = new ArrayList<>(settings.addresses());
    // Else every client would be at the first node, and all at the second after its death.
    Collections.rotate(addresses, ThreadLocalRandom.current().nextInt(addresses.size()));
    Exception last = null;
    for (int i = 0; i < addresses.size(); i++) {
      // A node that hangs leaves the others their share of the time.
      long share = (deadline - System.nanoTime()) / (addresses.size() - i);
      try {
        return new Attempt(Duration.ofNanos(Math.max(share, 1_000_000))).connect(addresses.get(i));
      } catch (IOException | TimeoutException e) {
        if (last != null) {
          e.addSuppressed(last);
        }
        last = e;
      }
    }
    throw new MqException(
        "%s: no node answered within %d ms: %s"
            .formatted(
                settings.endpoint(),
                bound.toMillis(),
                last == null ? "there is none" : Errors.reason(last)),
        last);
  }

  /**
   * Closes the connection if there is one; there will be no other.
   *
   * @param bound longest time; no wait if zero or negative
   */
  void close(Duration bound) {
    Link open;
    lock.lock();
    try {
      closed = true;
      open = current;
    } finally {
      lock.unlock();
    }
    if (open != null) {
      open.close(bound);
    }
  }

  /** One attempt to connect to one node, bounded as a whole. For one thread. */
  private final class Attempt extends ConnectionFactory {

    private final Duration bound;
    private @Nullable Wire wire;
    private @Nullable ScheduledFuture<?> giveUp;

    private Attempt(Duration bound) {
      this.bound = bound;
      RabbitOptions.put(settings.get(RabbitSettings.CLIENT), this);
      setUsername(settings.get(RabbitSettings.USERNAME));
      setPassword(settings.get(RabbitSettings.PASSWORD));
      if (settings.get(RabbitSettings.AUTH) == RabbitSettings.Auth.CERTIFICATE) {
        setSaslConfig(DefaultSaslConfig.EXTERNAL);
      }
      setVirtualHost(settings.get(RabbitSettings.VIRTUAL_HOST));
      setAutomaticRecoveryEnabled(false); // a lost channel is an error here, and not a silent gap
      setTopologyRecoveryEnabled(false);
      setRequestedHeartbeat(Math.toIntExact(settings.get(RabbitSettings.HEARTBEAT).toSeconds()));
      setHeartbeatExecutor(watch);
      setChannelRpcTimeout(Math.toIntExact(settings.stepBound().toMillis()));
      setMaxInboundMessageBodySize(LARGEST_INBOUND_BYTES);
      // The time is kept by our own watch, which knows only one bound for all steps.
      setHandshakeTimeout(Math.toIntExact(2 * bound.toMillis() + 1));
      // What arrives is only put into queues of ours, which needs no other thread.
      setSharedExecutor(new CallerExecutor());
      setThreadFactory(
          task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
          });
    }

    private Link connect(Address address) throws IOException, TimeoutException {
      try {
        Connection connection = newConnection(List.of(address), "mqproof " + role);
        Wire connected = wire;
        if (connected == null) {
          throw new IllegalStateException("connected without a socket");
        }
        return new Link(settings.endpoint(), connection, connected, settings.stepBound());
      } finally {
        if (giveUp != null) {
          giveUp.cancel(false);
        }
      }
    }

    @Override
    protected synchronized FrameHandlerFactory createFrameHandlerFactory() {
      return (address, connectionName) -> {
        Wire.Plug plug = new Wire.Plug();
        try {
          plug.setTcpNoDelay(true); // batches are gathered here, and then have to go
          plug.connect(
              new InetSocketAddress(address.getHost(), address.getPort()),
              Math.toIntExact(Math.max(1, bound.toMillis())));
          giveUp = watch.schedule(plug::pull, bound.toNanos(), TimeUnit.NANOSECONDS);
          Socket socket = settings.tls().isPresent() ? encrypted(plug, address) : plug;
          Wire connected = new Wire(plug, socket, LARGEST_INBOUND_BYTES, settings.stepBound());
          wire = connected;
          return connected;
        } catch (IOException e) {
          plug.close();
          throw e;
        }
      };
    }

    private Socket encrypted(Wire.Plug plug, Address address) throws IOException {
      SSLSocket socket =
          settings.tls().orElseThrow().over(plug, address.getHost(), address.getPort());
      socket.startHandshake();
      return socket;
    }
  }
}
