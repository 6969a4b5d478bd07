package org.mqproof.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private final Set<KafkaSender> senders = ConcurrentHashMap.newKeySet();
  private final Set<PollingReceiver> receivers = ConcurrentHashMap.newKeySet();
  private final Map<KafkaQueues.Found, PartitionTurns> turns = new ConcurrentHashMap<>();
  private final AtomicInteger nextSender = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  private KafkaMq(KafkaSettings settings, KafkaQueues queues) {
    this.settings = settings;
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
    requireOpen();
    queues.create(queue);
  }

  @Override
  public void deleteQueue(String queue) {
    requireOpen();
    queues.delete(queue);
  }

  @Override
  public Sender sender(String queue) {
    requireOpen();
    KafkaQueues.Found found = queues.find(queue);
    KafkaSender sender =
        new KafkaSender(settings, queue, producers, partitions(found), senders::remove);
    senders.add(sender);
    if (closed.get()) { // by another thread, which may have missed this one
      sender.close();
    }
    requireOpen();
    return sender;
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
    requireOpen();
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
    receivers.add(receiver);
    if (closed.get()) { // by another thread, which may have missed this one
      receiver.close();
    }
    requireOpen();
    return receiver;
  }

  private PollingReceiver groupReceiver(KafkaQueues.Found found) {
    return new KafkaReceiver(
            settings,
            found.queue(),
            new KafkaConsumer<>(settings.consumerConfig(queues.group(found))),
            liveness(),
            (receiver, deadline) -> closed(receiver, found, deadline))
        .start();
  }

  private PollingReceiver shareReceiver(KafkaQueues.Found found) {
    return new KafkaShareReceiver(
            settings,
            found.queue(),
            new KafkaShareConsumer<>(settings.shareConsumerConfig(queues.group(found))),
            liveness(),
            (receiver, deadline) -> closed(receiver, found, deadline))
        .start();
  }

  private void closed(PollingReceiver receiver, KafkaQueues.Found found, long deadline) {
    if (receivers.remove(receiver)) { // not closed before
      acked.closed(found, deadline);
    }
  }

  private Liveness liveness() {
    return new Liveness(settings.callBound(), queues::requireAnswer);
  }

  @Override
  public Traits traits() {
    return settings.traits();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    receivers.forEach(PollingReceiver::beginClose);
    senders.forEach(KafkaSender::close);
    producers.close();
    receivers.forEach(receiver -> receiver.awaitClosed(deadline));
    acked.close();
    queues.close();
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this connection to " + settings.endpoint() + " is closed");
    }
  }
}
