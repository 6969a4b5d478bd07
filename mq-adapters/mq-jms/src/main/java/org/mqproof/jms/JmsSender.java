package org.mqproof.jms;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.mqproof.MqException;
import org.mqproof.support.AbstractSender;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.PendingBatch;

/**
 * Sends to one queue through a lane that it may share with other senders.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The lane's thread owns the JMS session, so
 * that an interrupt of the caller never reaches the client library.
 */
final class JmsSender extends AbstractSender {

  private final JmsSettings settings;
  private final String queue;
  private final SendLane lane;
  private final Consumer<JmsSender> onClose;
  private final Map<PendingBatch, SendBatch> pending = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  JmsSender(
      JmsSettings settings,
      String queue,
      MessageLimits limits,
      SendLane lane,
      Consumer<JmsSender> onClose) {
    super(settings.endpoint(), queue, Causes::reason, limits, settings.callBound());
    this.settings = settings;
    this.queue = queue;
    this.lane = lane;
    this.onClose = onClose;
  }

  @Override
  protected void publish(PendingBatch batch, boolean awaited) throws InterruptedException {
    if (batch.rejectRefused()) {
      batch.complete();
      return;
    }
    SendBatch sending = SendBatch.of(batch, queue);
    pending.put(batch, sending);
    CompletableFuture<Void> unused =
        batch
            .done()
            .whenComplete(
                (done, failure) -> {
                  pending.remove(batch);
                  lane.ended(sending);
                });
    lane.add(sending);
  }

  @Override
  protected void giveUp(PendingBatch batch, Exception cause) {
    SendBatch sending = pending.get(batch);
    if (sending != null) {
      lane.abandon(sending, cause);
    }
  }

  @Override
  public void close() {
    beginClose();
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    pending.forEach(
        (batch, sending) -> {
          if (!BoundedWaits.await(batch.done(), batch.deadlineNanos())) {
            lane.abandon(sending, new MqException(settings.endpoint() + ": no answer in time"));
          }
        });
    onClose.accept(this);
  }
}
