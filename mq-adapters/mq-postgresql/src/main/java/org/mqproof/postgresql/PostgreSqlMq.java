package org.mqproof.postgresql;

import java.time.Duration;
import java.util.List;
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
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSender;

/** Queues in one schema of a PostgreSQL database, over one pool. Thread-safe. */
final class PostgreSqlMq implements Mq {

  /** Between two looks at the deadlines of what was sent. */
  private static final Duration EXPIRE_INTERVAL = Duration.ofMillis(200);

  private final PostgreSqlSettings settings;
  private final Server server;
  private final Queues queues;
  private final ScheduledThreadPoolExecutor watch;
  private final Set<GatheredSender> senders = ConcurrentHashMap.newKeySet();
  private final Set<ClaimingReceiver<PostgreSqlDelivery>> receivers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private PostgreSqlMq(PostgreSqlSettings settings) {
    this.settings = settings;
    server = new Server(settings);
    queues = new Queues(server);
    watch =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mqproof-postgresql-watch");
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

  static PostgreSqlMq connect(PostgreSqlSettings settings) {
    PostgreSqlMq mq = new PostgreSqlMq(settings);
    try {
      mq.server.requireMode();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw e;
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
            settings.get(PostgreSqlSettings.MAX_BODY_BYTES),
            new Inserts(server, found),
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
    Claims claims = new Claims(server, found);
    ClaimingReceiver<PostgreSqlDelivery> receiver =
        new ClaimingReceiver<>(
            queue,
            server.calls(),
            settings.hold(),
            claims,
            new AckRounds<>(
                settings.endpoint() + ", queue " + queue,
                PostgreSqlDelivery.class,
                claims,
                server.calls()),
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
    List<ClaimingReceiver<PostgreSqlDelivery>> open =
        receivers.stream().filter(ClaimingReceiver::beginClose).toList();
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
