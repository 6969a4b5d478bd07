package org.mqproof.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidRecordStateException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.support.Causes;

/**
 * Receives from one topic as a member of a share group: the broker locks single messages, and each
 * is acked for itself.
 *
 * <p>Kafka's client returns nothing while any message of the last fetch is unacked. Whatever one
 * fetch brought is therefore the most that is in flight; {@code receive} returns nothing beyond it
 * until all of that is acked or its lock has expired. It mostly fetches nothing meanwhile, either:
 * but where the answer to a fetch comes in between the look into its buffer and the request for
 * more, which a poll makes one after the other, it goes on to fetch until a broker has something.
 * What waited here so long that it could not be claimed for the whole claim period any more is
 * given back, and not handed out. It fetches only while the user receives, and a fraction of a
 * second longer, so that a receiver which does not receive takes hardly a message from the others.
 *
 * <p>A message that was delivered {@code share.delivery.count.limit} times without an ack is
 * dropped by the broker. That is Kafka's rule for share groups, and the end of at least once.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 */
final class KafkaShareReceiver extends PollingReceiver {

  private static final Duration POLL = Duration.ofMillis(100);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** More acks, or the next receive, whose fetch can carry them, mostly follow in this time. */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final ShareConsumer<byte[], byte[]> consumer;
  private final ShareClaims claims;
  private long emptyNanos = System.nanoTime(); // the poller's: Kafka's client had no message then

  /**
   * Polls nothing yet.
   *
   * @param consumer for the poller alone
   * @param onClose told of the end, and until when, by the nanosecond clock, it may use
   */
  KafkaShareReceiver(
      KafkaSettings settings,
      String queue,
      ShareConsumer<byte[], byte[]> consumer,
      Liveness liveness,
      ObjLongConsumer<PollingReceiver> onClose) {
    super(settings, queue, liveness, onClose);
    this.consumer = consumer;
    claims =
        new ShareClaims(
            settings.get(KafkaSettings.CLAIM_PERIOD).toNanos(), settings.lockDuration().toNanos());
  }

  @Override
  List<Delivery> take(int max, long timeoutNanos) throws InterruptedException {
    return claims.take(max, timeoutNanos);
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    return claims.ack(deliveries).future();
  }

  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    return claims.release(deliveries).future();
  }

  @Override
  void endCalls() {
    claims.close();
    consumer.wakeup();
  }

  // From here on the poller's.

  @Override
  void subscribe() {
    consumer.setAcknowledgementCommitCallback(this::acknowledged);
    consumer.subscribe(List.of(queue));
  }

  @Override
  void step() {
    try {
      acknowledge();
      releaseExpired();
      if (claims.canFetch()) {
        send();
        fetch();
      } else if (claims.hasAnswersToSend()) {
        claims.awaitWork(GATHER_NANOS);
        acknowledge();
        send();
      } else if (claims.isSending()) {
        claims.awaitWork(GATHER_NANOS);
        consumer.commitAsync(); // sends nothing, but tells what became of the acks
      } else {
        claims.awaitWork(claims.nanosToExpiry());
      }
    } catch (WakeupException e) {
      // Only closing wakes the consumer, and the loop looks for it.
    } catch (RetriableException e) {
      claims.awaitWork(RETRY_NANOS);
    }
  }

  private void acknowledge() {
    for (ShareClaims.Answer answer : claims.takeAnswers()) {
      consumer.acknowledge(answer.message(), answer.type());
    }
  }

  private void releaseExpired() {
    for (ConsumerRecord<byte[], byte[]> record : claims.takeExpired()) {
      // The lock has expired, or would too soon: the next fetch needs an answer for every message.
      consumer.acknowledge(record, AcknowledgeType.RELEASE);
    }
  }

  /**
   * Sends what was acked and released. A fetch would take it along, but not to a node whose last
   * request is unanswered: then Kafka's client keeps it until a fetch that comes after every
   * message of this one was answered.
   */
  private void send() {
    if (claims.hasAnswersToSend()) {
      claims.sent();
      // Not waited for: the leader of one partition may be dead, those of the others alive.
      consumer.commitAsync();
    }
  }

  /**
   * What one node answered while the messages of another were held waited in Kafka's client, which
   * hands it out even when its locks have ended and others have received and acked it. Without a
   * wait the client returns nothing else, and what it returns later is newer than that.
   */
  private void fetch() {
    long now = System.nanoTime();
    var records = consumer.poll(Duration.ZERO);
    if (records.isEmpty()) {
      emptyNanos = now;
      records = consumer.poll(POLL);
    }
    if (!records.isEmpty()) {
      liveness.answered();
      claims.arrived(records, emptyNanos);
    }
  }

  private void acknowledged(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
    if (failure == null) {
      liveness.answered();
    }
    MqException cause =
        failure == null
            ? null
            : new MqException(
                "%s: acks of queue %s failed: %s"
                    .formatted(settings.endpoint(), queue, Causes.reason(failure)),
                failure);
    offsets.forEach(
        (partition, settled) ->
            claims.settled(
                partition.topicPartition(),
                settled,
                cause,
                failure instanceof InvalidRecordStateException));
  }

  @Override
  void leave(MqException end) {
    try {
      acknowledge();
      consumer.close(settings.stepBound().multipliedBy(2)); // sends the acks, releases the rest
    } catch (InterruptException e) {
      end = new MqException(settings.endpoint() + ": closing took too long", e);
    } finally {
      claims.endAll(end);
    }
  }
}
