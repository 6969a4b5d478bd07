package org.mqproof.kafka;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.Causes;
import org.mqproof.support.OpenParts;
import org.mqproof.support.TlsFailure;

/**
 * Queues of one Kafka cluster: one admin client, one producer for all senders, and a consumer for
 * each receiver. Thread-safe.
 */
final class KafkaMq implements Mq {

  private final KafkaSettings settings;
  private final KafkaQueues queues;
  private final AckedRecords acked;
  private final SharedProducer producers;
  private final OpenParts<KafkaSender, PollingReceiver> parts;
  private final Map<KafkaQueues.Found, PartitionTurns> turns = new ConcurrentHashMap<>();
  private final AtomicInteger nextSender = new AtomicInteger();

  private KafkaMq(KafkaSettings settings, KafkaQueues queues) {
    this.settings = settings;
    parts = new OpenParts<>(settings.endpoint());
    this.queues = queues;
    acked = queues.ackedRecords();
    producers =
        new SharedProducer(
            () -> new KafkaProducer<>(settings.producerConfig()),
            settings.stepBound(),
            settings.callBound());
  }

  static KafkaMq connect(KafkaSettings settings) {
    KafkaQueues queues;
    try {
      queues = new KafkaQueues(settings, Admin.create(settings.adminConfig()));
    } catch (KafkaException e) {
      throw new MqException(settings.endpoint() + ": cannot connect: " + reason(e), e);
    }
    try {
      queues.requireAnswer(settings.get(KafkaSettings.CONNECT_BOUND));
    } catch (MqException e) {
      queues.close();
      throw TlsFailure.explained(withToken(e), settings.tls(), settings.addresses());
    }
    return new KafkaMq(settings, queues);
  }

  /** Kafka's brokers say no more than that, whatever is wrong with it. */
  private static MqException withToken(MqException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("\"status\":\"invalid_token\"")
        ? new MqException(
            message + ": the token has ended, or is of another issuer or for another audience",
            failure)
        : failure;
  }

  /** What is outside says only that a client could not be made. */
  private static String reason(KafkaException e) {
    Throwable cause = e;
    for (Throwable next = e; next != null; next = next.getCause()) {
      cause = next;
    }
    return Causes.reason(cause);
  }

  @Override
  public void createQueue(String queue) {
    parts.requireOpen();
    queues.create(queue);
  }

  @Override
  public void deleteQueue(String queue) {
    parts.requireOpen();
    queues.delete(queue);
  }

  @Override
  public Sender sender(String queue) {
    parts.requireOpen();
    KafkaQueues.Found found = queues.find(queue);
    return parts.add(
        new KafkaSender(settings, queue, producers, partitions(found), parts.senders()::remove));
  }

  private IntSupplier partitions(KafkaQueues.Found found) {
    if (settings.get(KafkaSettings.ORDER) == Ordering.PER_SENDER) {
      int only = Math.floorMod(nextSender.getAndIncrement(), found.partitions());
      return () -> only;
    }
    return turns.computeIfAbsent(
            found, topic -> new PartitionTurns(topic.partitions(), System::nanoTime))
        ::next;
  }

  @Override
  public Receiver receiver(String queue) {
    parts.requireOpen();
    KafkaQueues.Found found = queues.find(queue);
    if (settings.share()) {
      queues.configureShareGroup(queue);
    }
    PollingReceiver receiver;
    try {
      receiver = settings.share() ? shareReceiver(found) : groupReceiver(found);
    } catch (KafkaException e) {
      throw new MqException(
          settings.endpoint() + ": cannot receive from queue " + queue + ": " + reason(e), e);
    }
    acked.opened(found);
    return parts.add(receiver);
  }

  private PollingReceiver groupReceiver(KafkaQueues.Found found) {
    return new KafkaReceiver(
            settings,
            found.queue(),
            new KafkaConsumer<>(settings.consumerConfig(queues.group(found))),
            liveness(found),
            (receiver, deadline) -> closed(receiver, found, deadline))
        .start();
  }

  private PollingReceiver shareReceiver(KafkaQueues.Found found) {
    return new KafkaShareReceiver(
            settings,
            found.queue(),
            new KafkaShareConsumer<>(settings.shareConsumerConfig(queues.group(found))),
            liveness(found),
            (receiver, deadline) -> closed(receiver, found, deadline))
        .start();
  }

  private void closed(PollingReceiver receiver, KafkaQueues.Found found, long deadline) {
    if (parts.receivers().remove(receiver)) { // not closed before
      acked.closed(found, deadline);
    }
  }

  private Liveness liveness(KafkaQueues.Found found) {
    return new Liveness(
        settings.callBound(),
        queues::requireAnswer,
        () -> queues.isThere(found),
        "%s: queue %s was deleted: open a new receiver once it is there again"
            .formatted(settings.endpoint(), found.queue()));
  }

  @Override
  public Traits traits() {
    return settings.traits();
  }

  @Override
  public void close() {
    if (!parts.beginClose()) {
      return;
    }
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    parts.receivers().forEach(PollingReceiver::beginClose);
    parts.senders().forEach(KafkaSender::close);
    producers.close();
    parts.receivers().forEach(receiver -> receiver.awaitClosed(deadline));
    acked.close();
    queues.close();
  }
}
