package org.mqproof.mongodb;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.PendingBatch;

/**
 * Sends to one queue. After an error it works on: every insert finds the primary anew.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The futures complete in the threads in
 * which the driver is called.
 */
final class MongoSender implements Sender {

  private final MongoSettings settings;
  private final String queue;
  private final GatheredSends inserts;
  private final Consumer<MongoSender> onClose;
  private volatile boolean closed;

  MongoSender(
      MongoSettings settings, String queue, GatheredSends inserts, Consumer<MongoSender> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.inserts = inserts;
    this.onClose = onClose;
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before sending to queue " + queue);
    }
    PendingBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return;
    }
    inserts.add(sending);
    try {
      sending.done().get(); // bounded: the connection's watch gives up what is late
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SendFailedException failed
          ? failed
          : new IllegalStateException("a batch ends in no other way", e);
    }
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    PendingBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      inserts.add(sending);
    } catch (InterruptedException e) {
      inserts.reject(sending, e); // nothing of it was sent, and the future tells
      Thread.currentThread().interrupt();
    }
    return sending.done();
  }

  private PendingBatch newBatch(List<Message> batch) {
    return new PendingBatch(
        settings.endpoint() + ", queue " + queue,
        Errors::reason,
        batch,
        settings.get(MongoSettings.MAX_BODY_BYTES),
        System.nanoTime() + settings.callBound().toNanos());
  }

  /** Gives up batches whose deadline has passed; from any thread. */
  void expire(long nowNanos) {
    inserts.expire(
        nowNanos,
        new MqException("no confirm within %d ms".formatted(settings.callBound().toMillis())));
  }

  @Override
  public void close() {
    beginClose();
    awaitOutcomes(System.nanoTime() + settings.callBound().toNanos());
    onClose.accept(this);
  }

  /** Takes no more batches. */
  void beginClose() {
    closed = true;
  }

  /** Waits for the outcome of what is under way; what has none at the deadline is unknown. */
  void awaitOutcomes(long deadlineNanos) {
    inserts.awaitIdle(deadlineNanos);
    inserts.giveUpAll(new MqException("the sender was closed"));
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
