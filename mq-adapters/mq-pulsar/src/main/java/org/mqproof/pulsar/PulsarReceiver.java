package org.mqproof.pulsar;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;
import org.mqproof.support.Deliveries;

/**
 * Receives from one queue by a consumer of the shared subscription, to which a broker pushes up to
 * {@code prefetch} messages. They are hidden from others from then on, until they are acked or the
 * consumer closes: then the broker hands them out anew at once.
 *
 * <p>A negative ack would give back a whole entry, in which other messages may be claimed. So what
 * is released is handed out by this receiver again.
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
  // Released, and not handed out again yet.
  private final TreeSet<PulsarDelivery> returned =
      new TreeSet<>(Comparator.comparing(PulsarDelivery::id));

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
      while (batch.size() < room && !returned.isEmpty()) {
        batch.add(returned.pollFirst());
      }
      if (!batch.isEmpty()) {
        inFlight += batch.size();
        return batch;
      }
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
        throw fail(Causes.reason(e), e);
      }
      if (mayThrow) {
        boolean unused = Thread.interrupted();
        throw new InterruptedException("interrupted while receiving from queue " + queue);
      }
      return null; // those taken before it are returned, and the thread stays interrupted
    }
  }

  private PulsarDelivery claim(Message<byte[]> message) {
    return new PulsarDelivery(
        this,
        message.getMessageId(),
        new org.mqproof.Message(message.getData(), headers(message.getProperties())));
  }

  /** Other programs may have properties that cannot be headers. */
  private static Map<String, String> headers(Map<String, String> properties) {
    if (properties.isEmpty()) {
      return Map.of();
    }
    Map<String, String> headers = new HashMap<>(properties);
    headers.entrySet().removeIf(p -> !org.mqproof.Message.isValidHeader(p.getKey(), p.getValue()));
    return headers;
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    List<PulsarDelivery> own = own(deliveries);
    List<PulsarDelivery> unacked = own.stream().filter(this::canBeAcked).distinct().toList();
    if (!unacked.isEmpty()) {
      inFlight -= (int) unacked.stream().filter(delivery -> delivery.ack() == null).count();
      OpenAck open = sendAcks(unacked);
      unacked.forEach(delivery -> delivery.acked(open));
    }
    List<@Nullable OpenAck> acks = new ArrayList<>(own.size()); // null: it was released
    own.forEach(delivery -> acks.add(delivery.ack()));
    CompletableFuture<Void> result = new CompletableFuture<>(); // for the caller alone
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(
                acks.stream()
                    .filter(Objects::nonNull)
                    .map(ack -> Objects.requireNonNull(ack).answer)
                    .toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> complete(result, acks));
    return result;
  }

  /** What failed is tried again. */
  private boolean canBeAcked(PulsarDelivery delivery) {
    OpenAck before = delivery.ack();
    return !delivery.isReleased()
        && (before == null || (before.hasFailed() && !hasLostItsBroker()));
  }

  private void complete(CompletableFuture<Void> result, List<@Nullable OpenAck> acks) {
    MqException cause = null;
    List<Outcome> outcomes = new ArrayList<>(acks.size());
    for (OpenAck ack : acks) {
      Ended ended =
          ack == null
              ? new Ended(
                  Outcome.REJECTED, error("a claim had ended before its ack: it was released"))
              : ack.answer.join();
      outcomes.add(ended.outcome());
      cause = cause == null ? ended.cause() : cause;
    }
    if (cause == null) {
      result.complete(null);
    } else {
      result.completeExceptionally(
          new AckFailedException(String.valueOf(cause.getMessage()), outcomes, cause));
    }
  }

  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    List<PulsarDelivery> own = own(deliveries);
    if (hasLostItsBroker()) {
      return CompletableFuture.failedFuture(lost());
    }
    for (PulsarDelivery delivery : own) {
      if (!delivery.isReleased() && delivery.ack() == null) {
        returned.add(delivery.again());
        inFlight--;
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /** A claim lasts as long as the consumer is connected. */
  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    List<PulsarDelivery> unused = own(deliveries);
    return CompletableFuture.completedFuture(null);
  }

  private List<PulsarDelivery> own(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return Deliveries.own(deliveries, PulsarDelivery.class, own -> own.owner() == this);
  }

  private OpenAck sendAcks(List<PulsarDelivery> deliveries) {
    OpenAck open = new OpenAck();
    if (hasLostItsBroker()) {
      open.fail(Outcome.REJECTED, lost());
      return open;
    }
    List<MessageId> ids = deliveries.stream().map(PulsarDelivery::id).toList();
    openAcks.add(open);
    CompletableFuture<Void> unused =
        consumer
            .acknowledgeAsync(ids)
            // Without a connection the client keeps an ack until there is one.
            .orTimeout(settings.callBound().toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete((done, problem) -> answered(open, problem));
    return open;
  }

  private void answered(OpenAck open, @Nullable Throwable problem) {
    openAcks.remove(open);
    if (hasLostItsBroker()) {
      open.fail(Outcome.UNKNOWN, lost());
    } else if (problem != null) {
      open.fail(Outcome.UNKNOWN, error("an ack has no good answer: " + Causes.reason(problem)));
    } else {
      boolean unused = open.answer.complete(new Ended(Outcome.CONFIRMED, null));
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
    openAcks.forEach(open -> open.fail(Outcome.UNKNOWN, problem));
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
    boolean unusedInTime =
        BoundedWaits.await(closeConsumer(), System.nanoTime() + settings.stepBound().toNanos());
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
    boolean unused =
        BoundedWaits.await(
            CompletableFuture.allOf(
                openAcks.stream().map(open -> open.answer).toArray(CompletableFuture<?>[]::new)),
            deadlineNanos);
  }

  /** The consumer is closed: an ack that has no answer may have come too late. */
  void ended() {
    MqException cause = error("the receiver was closed");
    openAcks.forEach(open -> open.fail(Outcome.UNKNOWN, cause));
    onClose.accept(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver of queue " + queue + " is closed");
    }
  }

  /** How an ack ended. */
  private record Ended(Outcome outcome, @Nullable MqException cause) {}

  /** An ack that was given. */
  static final class OpenAck {

    private final CompletableFuture<Ended> answer = new CompletableFuture<>();

    private void fail(Outcome outcome, MqException problem) {
      boolean unused = answer.complete(new Ended(outcome, problem));
    }

    private boolean hasFailed() {
      return answer.isDone() && answer.join().cause() != null;
    }
  }
}
