package org.mqproof.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.GatheredSender;
import org.mqproof.support.TlsFailure;

/** Queues in one database of a MongoDB replica set, over one driver client. Thread-safe. */
final class MongoMq implements Mq {

  /** Between two looks at the deadlines of what was sent. */
  private static final Duration EXPIRE_INTERVAL = Duration.ofMillis(200);

  private final MongoSettings settings;
  private final Server server;
  private final Queues queues;
  private final ScheduledThreadPoolExecutor watch;
  private final Set<GatheredSender> senders = ConcurrentHashMap.newKeySet();
  private final Set<MongoReceiver> receivers = ConcurrentHashMap.newKeySet();
  private final Map<String, Arrivals> arrivals = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private MongoMq(MongoSettings settings) {
    this.settings = settings;
    server = new Server(settings);
    queues = new Queues(settings, server.database());
    watch =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mqproof-mongodb-watch");
              thread.setDaemon(true);
              return thread;
            });
    ScheduledFuture<?> unused =
        watch.scheduleWithFixedDelay(
            this::expire,
            EXPIRE_INTERVAL.toNanos(),
            EXPIRE_INTERVAL.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  static MongoMq connect(MongoSettings settings) {
    MongoMq mq = new MongoMq(settings);
    try {
      mq.server.requireCopies();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw TlsFailure.explained(e, settings.tls(), settings.addresses());
    }
  }

  private void expire() {
    long now = System.nanoTime();
    senders.forEach(sender -> sender.expire(now));
  }

  @Override
  public void createQueue(String queue) {
    requireOpen();
    Queues.requireValid(queue);
    boolean unused = server.calls().call("create queue " + queue, () -> queues.create(queue));
  }

  @Override
  public void deleteQueue(String queue) {
    requireOpen();
    Queues.requireValid(queue);
    boolean unused = server.calls().call("delete queue " + queue, () -> queues.delete(queue));
  }

  @Override
  public Sender sender(String queue) {
    requireOpen();
    Queues.Queue found = server.calls().call("send to queue " + queue, () -> queues.get(queue));
    GatheredSender sender =
        new GatheredSender(
            queue,
            server.calls(),
            settings.get(MongoSettings.MAX_BODY_BYTES),
            new Inserts(queues, found),
            senders::remove);
    senders.add(sender);
    if (closed.get()) { // by another thread, which may have missed this one
      sender.close();
    }
    requireOpen();
    return sender;
  }

  @Override
  public Receiver receiver(String queue) {
    requireOpen();
    Queues.Queue found =
        server.calls().call("receive from queue " + queue, () -> queues.get(queue));
    var messages = queues.messages(found);
    Claims claims = new Claims(settings.get(MongoSettings.CLAIM_PERIOD));
    Claiming claiming =
        switch (settings.get(MongoSettings.CLAIM)) {
          case BATCH -> new ClaimBatch(messages, found.slots(), claims);
          case ONE -> new ClaimOne(messages, found.slots(), claims);
        };
    MongoReceiver receiver =
        new MongoReceiver(
            server,
            queues,
            found,
            claiming,
            claims,
            new Acks(server, queue, messages, claims.overAfterNanos()),
            arrivals.computeIfAbsent(found.collection(), name -> new Arrivals(server, messages)),
            receivers::remove);
    receivers.add(receiver);
    if (closed.get()) { // by another thread, which may have missed this one
      receiver.close();
    }
    requireOpen();
    return receiver;
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
    long now = System.nanoTime();
    List<MongoReceiver> open = receivers.stream().filter(MongoReceiver::beginClose).toList();
    senders.forEach(GatheredSender::beginClose);
    senders.forEach(sender -> sender.awaitOutcomes(now + settings.stepBound().toNanos()));
    open.forEach(receiver -> receiver.finishClose(now + settings.stepBound().toNanos() * 3));
    List<Runnable> unused = watch.shutdownNow();
    server.close();
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this connection to " + settings.endpoint() + " is closed");
    }
  }
}
