package org.mqproof.pulsar;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Sender;
import org.mqproof.support.BatchOutcome;

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
final class PulsarSender implements Sender {

  private static final int BATCH_MESSAGES = 10_000;

  private final PulsarSettings settings;
  private final String queue;
  private final Consumer<PulsarSender> onClose;
  private final Semaphore window;
  private final Set<SendBatch> underWay = ConcurrentHashMap.newKeySet();
  private final Producer<byte[]> producer;
  private volatile boolean closed;

  /**
   * Opens a producer.
   *
   * @throws MqException if there is no such queue, or no broker answers
   */
  PulsarSender(
      PulsarSettings settings, String queue, PulsarClient client, Consumer<PulsarSender> onClose) {
    this.settings = settings;
    this.queue = queue;
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
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before sending to queue " + queue);
    }
    if (batch.isEmpty()) {
      return;
    }
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    SendBatch sending = newBatch(batch);
    publish(sending, batch, deadline);
    CompletableFuture<Void> unused = producer.flushAsync(); // nothing will join this batch
    BatchOutcome.await(sending.done(), deadline - System.nanoTime(), sending::abandon);
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    if (batch.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    SendBatch sending = newBatch(batch);
    try {
      publish(sending, batch, System.nanoTime() + settings.callBound().toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sending.abandon(e); // the future tells
    }
    return sending.done();
  }

  private SendBatch newBatch(List<Message> batch) {
    SendBatch sending = new SendBatch(settings.endpoint() + ", queue " + queue, batch.size());
    underWay.add(sending);
    CompletableFuture<Void> unused =
        sending.done().whenComplete((done, failure) -> underWay.remove(sending));
    return sending;
  }

  private void publish(SendBatch sending, List<Message> batch, long deadlineNanos)
      throws InterruptedException {
    int largest = settings.get(PulsarSettings.MAX_BODY_BYTES);
    for (int i = 0; i < batch.size(); i++) {
      byte[] body = batch.get(i).body();
      if (body.length > largest) {
        sending.settle(
            i,
            Outcome.REJECTED,
            new IllegalArgumentException(
                "a body of %d bytes is larger than %d".formatted(body.length, largest)));
      } else if (hasRoom(deadlineNanos)) {
        publish(sending, i, body);
      } else {
        sending.settle(
            i, Outcome.REJECTED, new TimeoutException("no room in the window, so it was not sent"));
      }
    }
  }

  /** Takes a place in the window; asks the client to send what fills it before it waits. */
  private boolean hasRoom(long deadlineNanos) throws InterruptedException {
    if (window.tryAcquire()) {
      return true;
    }
    CompletableFuture<Void> unused = producer.flushAsync();
    return window.tryAcquire(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private void publish(SendBatch sending, int index, byte[] body) {
    CompletableFuture<?> unused =
        producer
            .sendAsync(body)
            .whenComplete(
                (id, failure) -> {
                  window.release();
                  if (failure == null) {
                    sending.confirm(index);
                  } else {
                    sending.settle(index, meaningOf(failure), Errors.first(failure));
                  }
                });
  }

  /** The client finds a message invalid before it sends it; all else may have come after that. */
  private static Outcome meaningOf(Throwable failure) {
    return Errors.first(failure) instanceof PulsarClientException.InvalidMessageException
        ? Outcome.REJECTED
        : Outcome.UNKNOWN;
  }

  @Override
  public void close() {
    beginClose();
    awaitOutcomes(System.nanoTime() + settings.stepBound().multipliedBy(3).toNanos());
    Waiting.quietly(closeProducer(), System.nanoTime() + settings.stepBound().toNanos());
    ended();
  }

  /** Starts to; what is under way then is unknown. */
  CompletableFuture<Void> closeProducer() {
    return producer.closeAsync();
  }

  /** Takes no more batches. */
  void beginClose() {
    closed = true;
  }

  /** Waits for the outcome of what is under way. */
  void awaitOutcomes(long deadlineNanos) {
    CompletableFuture<Void> unused = producer.flushAsync();
    CompletableFuture<?>[] open =
        underWay.stream().map(SendBatch::done).toArray(CompletableFuture<?>[]::new);
    Waiting.quietly(CompletableFuture.allOf(open), deadlineNanos);
  }

  /** The producer is closed: what has no outcome will have none. */
  void ended() {
    MqException cause = new MqException(settings.endpoint() + ": the sender was closed");
    underWay.forEach(batch -> batch.abandon(cause));
    onClose.accept(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
