package org.mqproof.pulsar;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;

/**
 * Receives from one queue by a consumer of the shared subscription, to which a broker pushes up to
 * {@code prefetch} messages. They are hidden from others from then on, until they are acked or the
 * consumer closes: then the broker hands them out anew at once, which a negative ack would delay.
 *
 * <p>A receiver whose consumer lost its broker stays lost and says so: the broker gives what it
 * held to others, and the receiver must be opened anew. The client would connect again and let acks
 * of then settle messages that others hold by now. A topic that moves to another broker does the
 * same.
 *
 * <p>Not thread-safe: one receiver, one thread at a time. The client's threads complete the
 * futures.
 */
final class PulsarReceiver implements Receiver {

  /** Interval between checks whether the consumer is connected. */
  private static final Duration LONGEST_SLICE = Duration.ofMillis(100);

  private final PulsarSettings settings;
  private final String queue;
  private final java.util.function.Consumer<PulsarReceiver> onClose;
  private final Consumer<byte[]> consumer;
  private final long disconnectedBefore;
  private final Set<OpenAck> openAcks = ConcurrentHashMap.newKeySet();
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile @Nullable MqException failure;
  private volatile boolean closed;
  private int inFlight;

  /**
   * Consumes at once.
   *
   * @throws MqException if there is no such queue, or no broker answers
   */
  PulsarReceiver(
      PulsarSettings settings,
      String queue,
      PulsarClient client,
      java.util.function.Consumer<PulsarReceiver> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.onClose = onClose;
    ConsumerBuilder<byte[]> builder =
        client
            .newConsumer(Schema.BYTES)
            .topic(settings.topic(queue))
            .subscriptionName(settings.get(PulsarSettings.SUBSCRIPTION))
            .subscriptionType(SubscriptionType.Shared)
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .receiverQueueSize(settings.get(PulsarSettings.PREFETCH))
            .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS) // callers ack in batches themselves
            .isAckReceiptEnabled(true) // else an ack is done when it is written to a buffer
            .enableBatchIndexAcknowledgment(true); // else an ack of a part of an entry is nothing
    CompletableFuture<Consumer<byte[]>> opened = builder.subscribeAsync();
    try {
      consumer =
          Waiting.result(
              settings,
              "receive from queue " + queue,
              opened,
              System.nanoTime() + settings.stepBound().multipliedBy(2).toNanos());
    } catch (MqException e) {
      CompletableFuture<?> unused = opened.thenCompose(Consumer::closeAsync); // if it comes late
      throw e;
    }
    disconnectedBefore = consumer.getLastDisconnectedTimestamp();
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + Arguments.timeoutNanos(max, timeout);
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before receiving from queue " + queue);
    }
    List<Delivery> batch = new ArrayList<>();
    while (true) {
      requireConnected();
      long left = deadline - System.nanoTime();
      long slice = Math.max(0, Math.min(left, LONGEST_SLICE.toNanos()));
      int room = Math.min(max, settings.get(PulsarSettings.IN_FLIGHT) - inFlight);
      if (room <= 0) {
        boolean unused = end.await(slice, TimeUnit.NANOSECONDS);
      } else {
        take(batch, room, slice);
      }
      if (!batch.isEmpty()) {
        inFlight += batch.size();
        return batch;
      }
      if (left <= 0) {
        return batch;
      }
    }
  }

  /** Takes what is there, or waits for a first message. */
  private void take(List<Delivery> batch, int room, long waitNanos) throws InterruptedException {
    Message<byte[]> message = poll(waitNanos, batch.isEmpty());
    while (message != null) {
      batch.add(claim(message));
      message = batch.size() < room ? poll(0, false) : null;
    }
    if (hasLostItsBroker()) {
      batch.clear(); // some may have been of the lost connection; all come back
      throw lost();
    }
  }

  /** The next message, or null if there is none in time, or if an interrupt is kept for later. */
  private @Nullable Message<byte[]> poll(long waitNanos, boolean mayThrow)
      throws InterruptedException {
    try {
      return consumer.receive(
          (int) TimeUnit.NANOSECONDS.toMicros(waitNanos), TimeUnit.MICROSECONDS);
    } catch (PulsarClientException e) {
      if (!Thread.currentThread().isInterrupted()) {
        throw fail(Errors.reason(e), e);
      }
      if (mayThrow) {
        boolean unused = Thread.interrupted();
        throw new InterruptedException("interrupted while receiving from queue " + queue);
      }
      return null; // those taken before it are returned, and the thread stays interrupted
    }
  }

  private PulsarDelivery claim(Message<byte[]> message) {
    return new PulsarDelivery(this, message.getMessageId(), message.getData());
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    requireOpen();
    Set<PulsarDelivery> own = new LinkedHashSet<>();
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof PulsarDelivery claim) || claim.owner() != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
      own.add(claim);
    }
    Set<CompletableFuture<Void>> answers = new LinkedHashSet<>();
    List<PulsarDelivery> unacked = new ArrayList<>();
    for (PulsarDelivery delivery : own) {
      CompletableFuture<Void> earlier = delivery.ack();
      if (earlier != null) {
        answers.add(earlier);
      } else {
        unacked.add(delivery);
      }
    }
    if (!unacked.isEmpty()) {
      CompletableFuture<Void> answer = sendAcks(unacked);
      unacked.forEach(delivery -> delivery.acked(answer));
      inFlight -= unacked.size();
      answers.add(answer);
    }
    return allOf(answers);
  }

  /** Fails with what failed, not with a {@link CompletionException} around it. */
  private static CompletableFuture<Void> allOf(Collection<CompletableFuture<Void>> futures) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    all.complete(null);
                  } else {
                    all.completeExceptionally(
                        failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
                  }
                });
    return all;
  }

  private CompletableFuture<Void> sendAcks(List<PulsarDelivery> deliveries) {
    if (hasLostItsBroker()) {
      return CompletableFuture.failedFuture(lost());
    }
    List<MessageId> ids = deliveries.stream().map(PulsarDelivery::id).toList();
    OpenAck open = new OpenAck();
    openAcks.add(open);
    CompletableFuture<Void> unused =
        consumer
            .acknowledgeAsync(ids)
            // Without a connection the client keeps an ack until there is one.
            .orTimeout(settings.callBound().toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete((done, problem) -> answered(open, problem));
    return open.answer;
  }

  private void answered(OpenAck open, @Nullable Throwable problem) {
    openAcks.remove(open);
    if (hasLostItsBroker()) {
      open.fail(lost());
    } else if (problem != null) {
      open.fail(error("an ack has no good answer: " + Errors.reason(problem)));
    } else {
      boolean unused = open.answer.complete(null);
    }
  }

  private boolean hasLostItsBroker() {
    return failure != null || consumer.getLastDisconnectedTimestamp() != disconnectedBefore;
  }

  private void requireConnected() {
    if (hasLostItsBroker()) {
      throw lost();
    }
  }

  private MqException lost() {
    MqException known = failure;
    return known == null ? fail("it lost its broker", null) : known;
  }

  /** Ends this receiver: the consumer must not go on to claim messages that nobody asks for. */
  private MqException fail(String reason, @Nullable Exception cause) {
    MqException problem =
        new MqException(
            "%s: the receiver of queue %s failed and must be opened anew: %s"
                .formatted(settings.endpoint(), queue, reason),
            cause);
    failure = problem;
    CompletableFuture<Void> unused = consumer.closeAsync();
    openAcks.forEach(open -> open.fail(problem));
    end.countDown();
    return problem;
  }

  private MqException error(String reason) {
    return new MqException("%s, queue %s: %s".formatted(settings.endpoint(), queue, reason));
  }

  @Override
  public void close() {
    beginClose();
    awaitAcks(System.nanoTime() + settings.stepBound().toNanos());
    Waiting.quietly(closeConsumer(), System.nanoTime() + settings.stepBound().toNanos());
    ended();
  }

  /** Starts to; the broker then hands out anew what was not acked. */
  CompletableFuture<Void> closeConsumer() {
    return consumer.closeAsync();
  }

  /** Refuses further calls. */
  void beginClose() {
    closed = true;
    end.countDown();
  }

  /** Waits until the acks that were given are answered. */
  void awaitAcks(long deadlineNanos) {
    Waiting.quietly(
        CompletableFuture.allOf(
            openAcks.stream().map(open -> open.answer).toArray(CompletableFuture<?>[]::new)),
        deadlineNanos);
  }

  /** The consumer is closed: an ack that has no answer may have come too late. */
  void ended() {
    MqException cause = error("the receiver was closed");
    openAcks.forEach(open -> open.fail(cause));
    onClose.accept(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver of queue " + queue + " is closed");
    }
  }

  /** An ack that was given and has no answer yet. */
  private static final class OpenAck {

    private final CompletableFuture<Void> answer = new CompletableFuture<>();

    private void fail(MqException problem) {
      boolean unused = answer.completeExceptionally(problem);
    }
  }
}
