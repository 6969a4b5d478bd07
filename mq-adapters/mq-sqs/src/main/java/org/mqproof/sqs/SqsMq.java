package org.mqproof.sqs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.OpenParts;
import org.mqproof.support.Promise;
import org.mqproof.support.TlsFailure;

/** Queues of one SQS account in one region, or of one server. Thread-safe. */
final class SqsMq implements Mq {

  /** No queue has this name: it is only asked for to see whether the service answers. */
  private static final String NO_QUEUE = "mqproof-is-anybody-there";

  private final SqsSettings settings;
  private final Transport transport;
  private final OpenParts<SqsSender, SqsReceiver> parts;

  /** What closed receivers still have under way. */
  private final Map<Object, CompletableFuture<?>> looseEnds = new ConcurrentHashMap<>();

  SqsMq(SqsSettings settings, Transport transport) {
    this.settings = settings;
    parts = new OpenParts<>(settings.name());
    this.transport = transport;
  }

  static SqsMq connect(SqsSettings settings) {
    SqsMq mq = new SqsMq(settings, open(settings));
    try {
      mq.requireAnAnswer();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw TlsFailure.explained(e, settings.tls(), List.of()); // the SDKs tell all
    }
  }

  private static Transport open(SqsSettings settings) {
    try {
      return switch (settings.get(SqsSettings.SDK)) {
        case V1 -> V1Transport.open(settings);
        case V2 -> V2Transport.open(settings);
      };
    } catch (NoClassDefFoundError e) {
      throw new MqException(
          settings.name()
              + ": sdk=v1 needs com.amazonaws:aws-java-sdk-sqs on the class path; sdk=v2 is the"
              + " default",
          e);
    } catch (RuntimeException e) {
      throw new MqException(settings.name() + ": no client: " + Errors.reason(e), e);
    }
  }

  /**
   * Whether the service answers and knows who asks; that it does not allow the question is fine.
   */
  private void requireAnAnswer() {
    try {
      String unused = await("the first request", () -> transport.queueUrl(NO_QUEUE));
    } catch (MqException e) {
      if (!(e.getCause() instanceof RequestFailed answer)
          || !(answer.isMissingQueue() || answer.isDenied())) {
        throw e;
      }
    }
  }

  /**
   * Makes a request that may be made twice. Each connection that broke while nobody used it fails
   * one, and all of them may have.
   */
  private <A> A await(String what, Supplier<CompletableFuture<A>> request) {
    Duration bound = settings.stepBound().multipliedBy(2); // the transport's own bound comes first
    long deadline = System.nanoTime() + bound.toNanos();
    try {
      for (int broken = 0; ; broken++) {
        try {
          return request.get().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
          Throwable failure = Errors.unwrap(e);
          if (broken == settings.get(SqsSettings.CONNECTIONS)
              || !Errors.isOfABrokenConnection(failure)) {
            throw new MqException(
                "%s: %s failed: %s".formatted(settings.name(), what, Errors.reason(failure)),
                failure);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException("%s: %s was interrupted".formatted(settings.name(), what), e);
    }
  }

  @Override
  public void createQueue(String queue) {
    parts.requireOpen();
    String name = QueueName.atSqs(queue);
    try {
      // Asked first: creating it again with other attributes than it has would be refused.
      String unused = promisingUrl(queue);
    } catch (MqException e) {
      if (!isMissing(e)) {
        throw e;
      }
      Object unused = await("creating queue " + queue, () -> transport.createQueue(name));
    }
  }

  @Override
  public void deleteQueue(String queue) {
    parts.requireOpen();
    try {
      String url = url(queue, QueueName.atSqs(queue));
      Object unused = await("deleting queue " + queue, () -> transport.deleteQueue(url));
    } catch (MqException e) {
      if (!isMissing(e)) {
        throw e;
      }
    }
  }

  /** The URL of a queue that keeps what the settings promise, as far as the service tells. */
  private String promisingUrl(String queue) {
    String url = url(queue, QueueName.atSqs(queue));
    if (!settings.get(SqsSettings.CHECK_QUEUE)) {
      return url;
    }
    Map<String, String> attributes;
    try {
      attributes = await("asking about queue " + queue, () -> transport.attributes(url));
    } catch (MqException e) {
      if (e.getCause() instanceof RequestFailed answer && answer.isDenied()) {
        return url;
      }
      throw e;
    }
    Promise.require(
        settings.name(),
        "queue " + queue,
        QueuePromise.broken(settings, attributes),
        SqsSettings.CHECK_QUEUE.key());
    return url;
  }

  private static boolean isMissing(MqException e) {
    return e.getCause() instanceof RequestFailed failed && failed.isMissingQueue();
  }

  private String url(String queue, String name) {
    return await("finding queue " + queue, () -> transport.queueUrl(name));
  }

  @Override
  public Sender sender(String queue) {
    parts.requireOpen();
    String url = promisingUrl(queue);
    return parts.add(new SqsSender(settings, transport, queue, url, parts.senders()::remove));
  }

  @Override
  public Receiver receiver(String queue) {
    parts.requireOpen();
    String url = promisingUrl(queue);
    return parts.add(
        new SqsReceiver(settings, transport, queue, url, parts.receivers()::remove, this::keep));
  }

  private void keep(CompletableFuture<?> looseEnd) {
    Object key = new Object();
    looseEnds.put(key, looseEnd);
    var unused = looseEnd.whenComplete((done, failure) -> looseEnds.remove(key));
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
    long start = System.nanoTime();
    long step = settings.stepBound().toNanos();
    List<SqsReceiver> receiving =
        parts.receivers().stream().filter(SqsReceiver::beginClose).toList();
    List<SqsSender> sending = parts.senders().stream().filter(SqsSender::beginClose).toList();
    sending.forEach(sender -> sender.finish(start + step));
    receiving.forEach(receiver -> receiver.finishAcks(start + step));
    receiving.forEach(receiver -> keep(receiver.giveBack()));
    // What fails, or takes longer, comes back when its claim ends.
    boolean unused =
        BoundedWaits.await(
            CompletableFuture.allOf(looseEnds.values().toArray(CompletableFuture[]::new)),
            System.nanoTime() + step);
    parts.senders().clear();
    parts.receivers().clear();
    transport.close();
  }
}
