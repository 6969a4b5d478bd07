package org.mqproof.pulsar;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.AbstractSender;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.PendingBatch;

/**
 * Sends to one queue by a producer of its own. The producer looks for the topic's new broker when
 * it loses the old one, and sends again what has no confirm, until three quarters of the call's
 * bound have passed: a message may be stored twice by that, and its outcome is unknown after it.
 *
 * <p>The producer has the name that the broker gave it and no sequence numbers of the caller's:
 * where a cluster drops duplicates, a name used again would have new messages dropped, and
 * confirmed.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The client's threads complete the futures.
 */
final class PulsarSender extends AbstractSender {

  private static final int BATCH_MESSAGES = 10_000;

  private final PulsarSettings settings;
  private final Consumer<PulsarSender> onClose;
  private final Semaphore window;
  private final Set<PendingBatch> underWay = ConcurrentHashMap.newKeySet();
  private final Producer<byte[]> producer;

  /**
   * Opens a producer.
   *
   * @throws MqException if there is no such queue, or no broker answers
   */
  PulsarSender(
      PulsarSettings settings, String queue, PulsarClient client, Consumer<PulsarSender> onClose) {
    super(
        settings.endpoint(),
        queue,
        Causes::reason,
        MessageLimits.of(settings.traits()),
        settings.callBound());
    this.settings = settings;
    this.onClose = onClose;
    window = new Semaphore(settings.get(PulsarSettings.SEND_WINDOW));
    CompletableFuture<Producer<byte[]>> opened =
        client
            .newProducer(Schema.BYTES)
            .topic(settings.topic(queue))
            .enableBatching(settings.get(PulsarSettings.BATCHING))
            .batchingMaxPublishDelay(
                settings.get(PulsarSettings.BATCH_DELAY).toMillis(), TimeUnit.MILLISECONDS)
            .batchingMaxMessages(BATCH_MESSAGES)
            .batchingMaxBytes(settings.get(PulsarSettings.BATCH_BYTES))
            .enableChunking(false) // the parts of a message would be lost with the first that is
            .maxPendingMessages(0) // the window is the limit
            .sendTimeout(
                (int) settings.stepBound().multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS)
            .createAsync();
    try {
      producer =
          Waiting.result(
              settings,
              "send to queue " + queue,
              opened,
              System.nanoTime() + settings.stepBound().multipliedBy(2).toNanos());
    } catch (MqException e) {
      CompletableFuture<?> unused = opened.thenCompose(Producer::closeAsync); // if it comes late
      throw e;
    }
  }

  @Override
  protected void publish(PendingBatch batch, boolean awaited) throws InterruptedException {
    if (batch.rejectRefused()) {
      batch.complete();
      return;
    }
    underWay.add(batch);
    CompletableFuture<Void> unused =
        batch.done().whenComplete((done, failure) -> underWay.remove(batch));
    for (int i = 0; i < batch.size(); i++) {
      if (batch.isRefused(i)) {
        continue;
      }
      if (hasRoom(batch.deadlineNanos())) {
        publish(batch, i);
      } else {
        batch.end(
            i, Outcome.REJECTED, new TimeoutException("no room in the window, so it was not sent"));
      }
    }
    if (awaited) {
      CompletableFuture<Void> unusedFlush = producer.flushAsync(); // nothing will join this batch
    }
  }

  @Override
  protected void giveUp(PendingBatch batch, Exception cause) {
    batch.giveUp(cause);
  }

  /** Takes a place in the window; asks the client to send what fills it before it waits. */
  private boolean hasRoom(long deadlineNanos) throws InterruptedException {
    if (window.tryAcquire()) {
      return true;
    }
    CompletableFuture<Void> unused = producer.flushAsync();
    return window.tryAcquire(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private void publish(PendingBatch batch, int index) {
    CompletableFuture<?> unused =
        send(batch.message(index))
            .whenComplete(
                (id, failure) -> {
                  window.release();
                  if (failure == null) {
                    batch.end(index, Outcome.CONFIRMED, null);
                  } else {
                    batch.end(index, meaningOf(failure), Causes.first(failure));
                  }
                });
  }

  private CompletableFuture<MessageId> send(Message message) {
    return message.headers().isEmpty()
        ? producer.sendAsync(message.body())
        : producer.newMessage().value(message.body()).properties(message.headers()).sendAsync();
  }

  /** The client finds a message invalid before it sends it; all else may have come after that. */
  private static Outcome meaningOf(Throwable failure) {
    return Causes.first(failure) instanceof PulsarClientException.InvalidMessageException
        ? Outcome.REJECTED
        : Outcome.UNKNOWN;
  }

  @Override
  public void close() {
    beginClose();
    awaitOutcomes(System.nanoTime() + settings.stepBound().multipliedBy(3).toNanos());
    boolean unusedInTime =
        BoundedWaits.await(closeProducer(), System.nanoTime() + settings.stepBound().toNanos());
    ended();
  }

  /** Starts to; what is under way then is unknown. */
  CompletableFuture<Void> closeProducer() {
    return producer.closeAsync();
  }

  /** Waits for the outcome of what is under way. */
  void awaitOutcomes(long deadlineNanos) {
    CompletableFuture<Void> unused = producer.flushAsync();
    CompletableFuture<?>[] open =
        underWay.stream().map(PendingBatch::done).toArray(CompletableFuture<?>[]::new);
    boolean unusedInTime = BoundedWaits.await(CompletableFuture.allOf(open), deadlineNanos);
  }

  /** The producer is closed: what has no outcome will have none. */
  void ended() {
    MqException cause = new MqException(settings.endpoint() + ": the sender was closed");
    underWay.forEach(batch -> batch.giveUp(cause));
    onClose.accept(this);
  }
}
