package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.Arguments;
import org.mqproof.support.OpenParts;
import org.mqproof.support.Promise;
import org.mqproof.support.TlsFailure;

/**
 * Queues of one RabbitMQ cluster.
 *
 * <p>A channel for each sender and receiver, over {@code sending.connections} for what is sent, and
 * one for all else. The broker stops reading from a connection that publishes while it is short of
 * memory or disk, or while a queue lags behind. Acks on the same connection would then wait as
 * well, and they are what makes room again.
 *
 * <p>Thread-safe.
 */
final class RabbitMq implements Mq {

  /** Interval between checks of the deadlines of sends. */
  private static final Duration EXPIRE_INTERVAL = Duration.ofMillis(200);

  /** How long a deleted queue's receivers are waited for; most are told within 50 ms. */
  private static final Duration RECEIVERS_ARE_TOLD_WITHIN = Duration.ofSeconds(1);

  private final RabbitSettings settings;
  private final ScheduledThreadPoolExecutor watch;
  private final Links receiving;
  private final List<Links> sending;
  private final AtomicInteger nextSending = new AtomicInteger();
  private final Traits traits;
  private final OpenParts<RabbitSender, RabbitReceiver> parts;

  private RabbitMq(
      RabbitSettings settings, ScheduledThreadPoolExecutor watch, Links receiving, Traits traits) {
    this.settings = settings;
    parts = new OpenParts<>(settings.endpoint());
    this.watch = watch;
    this.receiving = receiving;
    this.traits = traits;
    sending =
        Stream.generate(() -> new Links(settings, "sending", watch))
            .limit(settings.get(RabbitSettings.SENDING_CONNECTIONS))
            .toList();
    ScheduledFuture<?> unused =
        watch.scheduleWithFixedDelay(
            this::expire,
            EXPIRE_INTERVAL.toNanos(),
            EXPIRE_INTERVAL.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  static RabbitMq connect(RabbitSettings settings) {
    ScheduledThreadPoolExecutor watch =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mqproof-rabbitmq-watch");
              thread.setDaemon(true);
              return thread;
            });
    watch.setRemoveOnCancelPolicy(true);
    Links receiving = new Links(settings, "receiving", watch);
    try {
      Traits traits = settings.traits(receiving.get().frameMax());
      return new RabbitMq(settings, watch, receiving, traits);
    } catch (MqException e) {
      List<Runnable> unused = watch.shutdownNow();
      List<String> addresses = settings.addresses().stream().map(Address::toString).toList();
      throw TlsFailure.explained(e, settings.tls(), addresses);
    }
  }

  private void expire() {
    long now = System.nanoTime();
    parts.senders().forEach(sender -> sender.expire(now));
  }

  @Override
  public void createQueue(String queue) {
    parts.requireOpen();
    Arguments.requireQueueName(queue);
    Link link = receiving.get();
    try {
      link.call(
          "create queue " + queue,
          channel -> {
            AMQP.Queue.DeclareOk unused =
                channel.queueDeclare(
                    settings.physicalName(queue),
                    true, // durable
                    false, // not exclusive
                    false, // not deleted with its last receiver
                    settings.queueArguments(link.brokerMajorVersion()));
          });
    } catch (MqException e) {
      if (QueuePromise.Difference.of(e.getMessage()).isEmpty()) {
        throw e;
      }
      requirePromise(link, queue); // it exists, and differs
    }
  }

  private void requirePromise(Link link, String queue) {
    if (settings.get(RabbitSettings.CHECK_QUEUE)) {
      Promise.require(
          settings.endpoint(),
          "queue " + queue,
          QueuePromise.broken(settings, link, queue),
          RabbitSettings.CHECK_QUEUE.key());
    }
  }

  @Override
  public void deleteQueue(String queue) {
    parts.requireOpen();
    Arguments.requireQueueName(queue);
    receiving
        .get()
        .call(
            "delete queue " + queue,
            channel -> {
              AMQP.Queue.DeleteOk unused = channel.queueDelete(settings.physicalName(queue));
            });
    // RabbitMQ 3.10 tells them a moment later. If a quorum queue of that name is made before, they
    // are among its consumers, and each message that it gives them is dropped on the way.
    long deadline = System.nanoTime() + RECEIVERS_ARE_TOLD_WITHIN.toNanos();
    parts.receivers().stream()
        .filter(receiver -> receiver.isOf(queue))
        .forEach(receiver -> receiver.awaitCancel(deadline));
  }

  @Override
  public Sender sender(String queue) {
    parts.requireOpen();
    Links links = sending.get(Math.floorMod(nextSending.getAndIncrement(), sending.size()));
    requirePromise(links.get(), queue);
    return parts.add(new RabbitSender(settings, traits, queue, links, parts.senders()::remove));
  }

  @Override
  public Receiver receiver(String queue) {
    parts.requireOpen();
    Link link = receiving.get();
    requirePromise(link, queue);
    return parts.add(new RabbitReceiver(settings, queue, link, parts.receivers()::remove));
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public void close() {
    if (!parts.beginClose()) {
      return;
    }
    long deadline = System.nanoTime() + settings.stepBound().toNanos();
    List<RabbitReceiver> open =
        parts.receivers().stream().filter(RabbitReceiver::beginClose).toList();
    parts.senders().forEach(RabbitSender::beginClose);
    parts.senders().forEach(sender -> sender.awaitOutcomes(deadline));
    open.forEach(receiver -> receiver.finishAcks(deadline));
    long closedBy = System.nanoTime() + settings.stepBound().toNanos();
    sending.forEach(links -> links.close(Duration.ofNanos(closedBy - System.nanoTime())));
    receiving.close(settings.stepBound());
    open.forEach(RabbitReceiver::ended);
    List<Runnable> unused = watch.shutdownNow();
  }
}
