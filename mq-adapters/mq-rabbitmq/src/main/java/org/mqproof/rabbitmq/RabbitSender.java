package org.mqproof.rabbitmq;

import java.util.function.Consumer;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.AbstractSender;
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
final class RabbitSender extends AbstractSender {

  private final RabbitSettings settings;
  private final String queue;
  private final Links links;
  private final Consumer<RabbitSender> onClose;
  private volatile Publisher publisher;

  /**
   * Opens a channel.
   *
   * @throws MqException if there is no such queue, or the broker does not answer
   */
  RabbitSender(
      RabbitSettings settings,
      Traits traits,
      String queue,
      Links links,
      Consumer<RabbitSender> onClose) {
    super(
        settings.endpoint(),
        queue,
        Errors::reason,
        MessageLimits.of(traits, Headers::isReserved),
        settings.callBound());
    this.settings = settings;
    this.queue = queue;
    this.links = links;
    this.onClose = onClose;
    publisher = Publisher.open(settings, links.get(), queue);
  }

  @Override
  protected void publish(PendingBatch batch, boolean awaited) throws InterruptedException {
    try {
      if (!publisher.isSound()) {
        publisher.giveUp();
        publisher = Publisher.open(settings, links.get(), queue);
      }
    } catch (MqException e) {
      publisher.confirms().reject(batch, 0, batch.size(), e);
      return;
    }
    publisher.publish(batch);
  }

  /** After an interrupt {@link Publisher#publish} has rejected what was not handed over. */
  @Override
  protected void giveUp(PendingBatch batch, Exception cause) {
    if (!(cause instanceof InterruptedException)) {
      publisher.confirms().abandon(batch, cause);
    }
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

  /** Waits for the outcome of what is under way; what has none at the deadline is unknown. */
  void awaitOutcomes(long deadlineNanos) {
    Confirms confirms = publisher.confirms();
    confirms.awaitEnded(deadlineNanos);
    confirms.lost(new MqException(settings.endpoint() + ": the sender was closed"));
  }
}
