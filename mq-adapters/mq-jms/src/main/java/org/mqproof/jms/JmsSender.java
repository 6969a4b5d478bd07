package org.mqproof.jms;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.Sender;
import org.mqproof.support.BatchOutcome;

/**
 * Sends to one queue through a lane that it may share with other senders.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The lane's thread owns the JMS session, so
 * that an interrupt of the caller never reaches the client library.
 */
final class JmsSender implements Sender {

  private final JmsSettings settings;
  private final String queue;
  private final SendLane lane;
  private final Consumer<JmsSender> onClose;
  private final Set<SendBatch> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  JmsSender(JmsSettings settings, String queue, SendLane lane, Consumer<JmsSender> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.lane = lane;
    this.onClose = onClose;
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before anything was sent");
    }
    SendBatch sending = start(batch);
    BatchOutcome.await(sending.done(), sending.nanosLeft(), late -> lane.abandon(sending));
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    return start(batch).done();
  }

  private SendBatch start(List<Message> batch) {
    SendBatch sending = new SendBatch(settings, queue, batch, this::ended);
    if (!sending.endIfNothingIsOpen()) {
      pending.add(sending);
      lane.add(sending);
    }
    return sending;
  }

  private void ended(SendBatch batch) {
    if (pending.remove(batch)) {
      lane.ended(batch);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (SendBatch batch : pending) {
      if (!Threads.await(batch.done(), batch.nanosLeft())) {
        lane.abandon(batch);
      }
    }
    onClose.accept(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
