package org.mqproof.rabbitmq;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;
import org.mqproof.support.BatchOutcome;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.PendingBatch;

/**
 * Sends to one queue over a channel of its own. A channel that is lost, or on which a confirm did
 * not come in time, leaves what it had under way as unknown; the next batch opens another one, to
 * any node that answers.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The connection's reading thread completes
 * the futures.
 */
final class RabbitSender implements Sender {

  private final RabbitSettings settings;
  private final String queue;
  private final MessageLimits limits;
  private final Links links;
  private final Consumer<RabbitSender> onClose;
  private volatile Publisher publisher;
  private volatile boolean closed;

  /**
   * Opens a channel.
   *
   * @throws MqException if there is no such queue, or the broker does not answer
   */
  RabbitSender(RabbitSettings settings, String queue, Links links, Consumer<RabbitSender> onClose) {
    this.settings = settings;
    this.queue = queue;
    limits = MessageLimits.of(settings.traits());
    this.links = links;
    this.onClose = onClose;
    publisher = Publisher.open(settings, links.get(), queue);
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
    Publisher through = publish(sending);
    BatchOutcome.await(
        sending.done(),
        sending.deadlineNanos() - System.nanoTime(),
        late -> through.confirms().abandon(sending, new MqException("no confirm in time")));
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    PendingBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      Publisher unused = publish(sending);
    } catch (InterruptedException e) {
      // What was not handed over is rejected, and the future tells.
      Thread.currentThread().interrupt();
    }
    return sending.done();
  }

  private PendingBatch newBatch(List<Message> batch) {
    return new PendingBatch(
        settings.endpoint() + ", queue " + queue,
        Errors::reason,
        batch,
        limits,
        System.nanoTime() + settings.callBound().toNanos());
  }

  private Publisher publish(PendingBatch batch) throws InterruptedException {
    Publisher through = publisher;
    try {
      if (!through.isSound()) {
        through.giveUp();
        through = Publisher.open(settings, links.get(), queue);
        publisher = through;
      }
    } catch (MqException e) {
      through.confirms().reject(batch, 0, batch.size(), e);
      return through;
    }
    through.publish(batch);
    return through;
  }

  /** Abandons batches whose deadline has passed; from any thread. */
  void expire(long nowNanos) {
    publisher.confirms().expire(nowNanos);
  }

  @Override
  public void close() {
    beginClose();
    awaitOutcomes(System.nanoTime() + settings.callBound().toNanos());
    publisher.close();
    onClose.accept(this);
  }

  /** Takes no more batches. */
  void beginClose() {
    closed = true;
  }

  /** Waits for the outcome of what is under way; what has none at the deadline is unknown. */
  void awaitOutcomes(long deadlineNanos) {
    Confirms confirms = publisher.confirms();
    boolean interrupted = false;
    boolean waiting = true;
    while (waiting) {
      try {
        confirms.awaitEnded(deadlineNanos);
        waiting = false;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    confirms.lost(new MqException(settings.endpoint() + ": the sender was closed"));
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
