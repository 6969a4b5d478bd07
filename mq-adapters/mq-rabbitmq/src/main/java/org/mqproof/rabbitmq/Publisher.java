package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.PendingBatch;

/**
 * One channel that publishes to one queue, until it is lost.
 *
 * <p>A transaction is the same as a confirm of all that was published before its commit: the broker
 * answers the commit when every queue has what the transaction brought.
 *
 * <p>One thread at a time publishes; the connection's reading thread settles.
 */
final class Publisher {

  private final RabbitSettings settings;
  private final Link link;
  private final Channel channel;
  private final Confirms confirms;
  private final Publication publication;

  private Publisher(
      RabbitSettings settings, Link link, Channel channel, Confirms confirms, String queue) {
    this.settings = settings;
    this.link = link;
    this.channel = channel;
    this.confirms = confirms;
    publication = new Publication(channel.getChannelNumber(), queue, link.frameMax());
  }

  /**
   * Opens a channel.
   *
   * @throws MqException if there is no such queue, or the broker does not answer
   */
  static Publisher open(RabbitSettings settings, Link link, String queue) {
    Channel channel = null;
    try {
      channel = link.openChannel();
      String physical = settings.physicalName(queue);
      channel.queueDeclarePassive(physical);
      Confirms confirms =
          new Confirms(
              settings.get(RabbitSettings.CONFIRM_WINDOW),
              settings.meaningOfNack(),
              // A transaction is confirmed as a whole, however large it is.
              settings.transactions() ? settings.callBound() : settings.stepBound());
      Publisher publisher = new Publisher(settings, link, channel, confirms, physical);
      if (settings.transactions()) {
        channel.txSelect();
      } else {
        channel.confirmSelect();
        channel.addConfirmListener(confirms::confirmed, confirms::refused);
      }
      channel.addReturnListener(
          returned ->
              confirms.returned(
                  returned.getBody(),
                  Headers.of(returned.getProperties().getHeaders()),
                  new MqException(
                      "%s: queue %s took no message: %s"
                          .formatted(settings.endpoint(), queue, returned.getReplyText()))));
      channel.addShutdownListener(confirms::lost);
      return publisher;
    } catch (IOException | ShutdownSignalException e) {
      throw link.failed("send to queue " + queue, channel, e);
    }
  }

  /** Whether to go on with it. */
  boolean isSound() {
    return channel.isOpen() && confirms.isSound();
  }

  Confirms confirms() {
    return confirms;
  }

  /**
   * Publishes a batch. What cannot be handed over before its deadline is rejected; the rest is
   * settled by the broker's answers.
   *
   * @throws InterruptedException if interrupted while there was no room; what was not handed over
   *     is rejected
   */
  void publish(PendingBatch batch) throws InterruptedException {
    int from = 0;
    Exception cause = new MqException("interrupted before all was handed over");
    try {
      if (batch.rejectRefused()) {
        batch.complete();
        return;
      }
      awaitTurn(batch);
      while (from < batch.size()) {
        from = publishFrom(batch, from);
      }
    } catch (MqException | IOException e) {
      cause = e;
    } finally {
      confirms.reject(batch, from, batch.size(), cause);
    }
  }

  /** While the broker wants no messages, or has a transaction to commit, nothing is published. */
  private void awaitTurn(PendingBatch batch) throws InterruptedException {
    String blocked = link.awaitUnblocked(batch.deadlineNanos());
    if (blocked != null) {
      throw new MqException("the broker takes no messages now: " + blocked);
    }
    if (settings.transactions() && !confirms.awaitAtMost(0, batch.deadlineNanos())) {
      throw new MqException("the commit before has no answer");
    }
  }

  private int publishFrom(PendingBatch batch, int from) throws IOException, InterruptedException {
    int to = confirms.register(batch, from);
    if (to == from) {
      awaitRoom(batch.deadlineNanos());
      return from;
    }
    Outbox outbox = link.outbox();
    try {
      for (int i = from; i < to; i++) {
        if (!batch.isRefused(i)) {
          outbox.publish(publication, batch.message(i));
        }
      }
      if (settings.transactions()) {
        commit(confirms.last());
      } else {
        outbox.flush();
      }
      confirms.handedOver(System.nanoTime());
    } catch (IOException e) {
      // The connection is closed by now. What was registered ends as unknown with it.
      confirms.lost(e);
    }
    return to;
  }

  private void awaitRoom(long deadlineNanos) throws InterruptedException {
    int window = settings.get(RabbitSettings.CONFIRM_WINDOW);
    // A transaction holds a whole window; else half of one, so as not to wake for each confirm.
    int atMost = settings.transactions() ? 0 : window / 2;
    if (!confirms.awaitAtMost(atMost, deadlineNanos)) {
      throw new MqException("the broker confirmed too few of %d messages".formatted(window));
    }
  }

  private void commit(long last) throws IOException {
    var unused =
        channel
            .asyncCompletableRpc(new AMQP.Tx.Commit.Builder().build())
            .whenComplete((command, failure) -> committed(last, failure));
  }

  private void committed(long last, @Nullable Throwable failure) {
    if (failure == null) {
      confirms.confirmed(last, true);
    } else {
      confirms.lost(
          failure instanceof Exception e ? e : new MqException("the commit failed", failure));
    }
  }

  /** Does not wait for anything any more. */
  void giveUp() {
    confirms.lost(new MqException("a message before had no confirm in time"));
    link.giveUp(channel);
  }

  /** Closes the channel; does not wait for one that may be stuck. */
  void close() {
    if (confirms.isLate()) {
      link.giveUp(channel);
    } else {
      link.close(channel);
    }
  }
}
