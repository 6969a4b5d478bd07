package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/** One connection to one node, until it is lost. Thread-safe. */
final class Link {

  private final String endpoint;
  private final Connection connection;
  private final Wire wire;
  private final Duration bound;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition unblocked = lock.newCondition();
  private volatile @Nullable String blocked;

  /**
   * Takes over an open connection.
   *
   * @param bound longest wait for one answer
   */
  Link(String endpoint, Connection connection, Wire wire, Duration bound) {
    this.endpoint = endpoint;
    this.connection = connection;
    this.wire = wire;
    this.bound = bound;
    connection.addBlockedListener(this::block, () -> block(null));
    connection.addShutdownListener(lost -> block(null));
  }

  private void block(@Nullable String reason) {
    lock.lock();
    try {
      blocked = reason;
      unblocked.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits while the broker is short of memory or disk and reads nothing from who publishes.
   *
   * @return the broker's reason if it still does so at the deadline, else null
   */
  @Nullable String awaitUnblocked(long deadlineNanos) throws InterruptedException {
    if (blocked == null) {
      return null;
    }
    lock.lockInterruptibly();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (blocked != null && left > 0) {
        left = unblocked.awaitNanos(left);
      }
      return blocked;
    } finally {
      lock.unlock();
    }
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  Inbox inbox() {
    return wire.inbox();
  }

  Outbox outbox() {
    return wire.outbox();
  }

  /** Largest frame that the broker takes, 0 for any. */
  int frameMax() {
    return connection.getFrameMax();
  }

  /** For example 3 of 3.10.8; 0 if the broker does not say. */
  int brokerMajorVersion() {
    Map<String, Object> properties = connection.getServerProperties();
    String version = String.valueOf(properties.get("version"));
    int dot = version.indexOf('.');
    return dot > 0 && version.substring(0, dot).matches("\\d{1,4}")
        ? Integer.parseInt(version.substring(0, dot))
        : 0;
  }

  Channel openChannel() throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the broker allows no more channels on a connection");
    }
    return channel;
  }

  /** Does something with a channel that is closed afterwards. */
  void call(String what, ChannelCall call) {
    Channel channel = null;
    try {
      channel = openChannel();
      call.run(channel);
      close(channel);
    } catch (IOException | ShutdownSignalException e) {
      throw failed(what, channel, e);
    }
  }

  /** Says what went wrong, and gives up the channel that it went wrong on, if there is one. */
  MqException failed(String what, @Nullable Channel channel, Exception cause) {
    if (channel != null) {
      giveUp(channel);
    }
    return new MqException(endpoint + ": cannot " + what + ": " + Errors.reason(cause), cause);
  }

  /** Closes a channel without waiting for the broker's answer. */
  void giveUp(Channel channel) {
    if (channel.isOpen()) {
      Thread unused = startClosing(channel);
    }
  }

  /**
   * Closes a channel, and waits for the broker's answer as long as the bound allows; without one,
   * the end of the connection will close it.
   */
  void close(Channel channel) {
    if (!channel.isOpen()) {
      return;
    }
    Thread closer = startClosing(channel);
    try {
      closer.join(bound.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends by itself
    }
  }

  private static Thread startClosing(Channel channel) {
    Thread closer =
        new Thread(
            () -> {
              try {
                awaitAnyAnswer(channel);
                channel.abort(); // waits up to 10 s, and cannot be told otherwise
              } catch (IOException | ShutdownSignalException | CompletionException e) {
                // The channel is closed: it was lost, or the whole connection.
              }
            },
            "mqproof-rabbitmq-close");
    closer.setDaemon(true);
    closer.start();
    return closer;
  }

  /**
   * Waits until the broker's channel is not stuck, or lost. The client gives a channel's number to
   * the next one when closing it took too long; the broker, which still has the old one, then
   * closes the whole connection.
   */
  private static void awaitAnyAnswer(Channel channel) throws IOException {
    // Changes nothing: it holds for consumers to come, and there will be none.
    var unused = channel.asyncCompletableRpc(new AMQP.Basic.Qos.Builder().build()).join();
  }

  /** Closes the connection and with it every channel, within this time. */
  void close(Duration atMost) {
    connection.abort((int) Math.max(1, atMost.toMillis()));
  }

  /** What is done with a channel. */
  @FunctionalInterface
  interface ChannelCall {

    void run(Channel channel) throws IOException;
  }
}
