package org.mqproof.eventstore;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.Arguments;

/**
 * Queues of one EventStoreDB cluster, over one connection. Thread-safe.
 *
 * <p>A queue is a stream whose first event only makes it exist, and the group that reads it. An
 * append demands that the stream exists: without that the server would make a new one, for which
 * nobody listens, out of every name.
 */
final class EventStoreMq implements Mq {

  private final EventStoreSettings settings;
  private final Link link;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<EventStoreSender> senders = ConcurrentHashMap.newKeySet();
  private final Set<EventStoreReceiver> receivers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private EventStoreMq(EventStoreSettings settings) {
    this.settings = settings;
    link = new Link(settings, settings.credentials());
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mqproof-eventstore-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  static EventStoreMq connect(EventStoreSettings settings) {
    EventStoreMq mq = new EventStoreMq(settings);
    try {
      ManagedChannel unused = mq.link.channel();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw e;
    }
  }

  @Override
  public void createQueue(String queue) {
    requireOpen();
    Arguments.requireQueueName(queue);
    String what = "create queue " + queue;
    unlessSo(
        what, (channel, left) -> Requests.createStream(channel, left, queue), failure -> false);
    AtomicBoolean existed = new AtomicBoolean();
    unlessSo(
        what,
        (channel, left) -> Requests.createGroup(channel, left, queue, settings),
        failure -> {
          existed.set(Errors.code(failure) == Status.Code.ALREADY_EXISTS);
          return existed.get();
        });
    if (existed.get()) {
      Subscription.check(settings, link, queue, what);
    }
  }

  @Override
  public void deleteQueue(String queue) {
    requireOpen();
    Arguments.requireQueueName(queue);
    String what = "delete queue " + queue;
    String group = settings.get(EventStoreSettings.GROUP);
    // The stream first: from then on nothing is confirmed that nobody would receive.
    unlessSo(
        what,
        (channel, left) -> Requests.deleteStream(channel, left, queue),
        failure ->
            Errors.isMissing(failure) || Errors.code(failure) == Status.Code.FAILED_PRECONDITION);
    unlessSo(
        what,
        (channel, left) -> Requests.deleteGroup(channel, left, queue, group),
        Errors::isMissing);
  }

  private interface Step {
    void run(ManagedChannel channel, long leftNanos);
  }

  /** Does a step that may have been done before. */
  private void unlessSo(String what, Step step, Predicate<Throwable> isSo) {
    try {
      boolean unused =
          link.call(
              what,
              (channel, left) -> {
                step.run(channel, left);
                return true;
              });
    } catch (StatusRuntimeException e) {
      if (!isSo.test(e)) {
        throw link.failure(what, e);
      }
    }
  }

  @Override
  public Sender sender(String queue) {
    requireOpen();
    Subscription.check(settings, link, queue, "send to queue " + queue);
    EventStoreSender sender = new EventStoreSender(settings, queue, link, timer, senders::remove);
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
    EventStoreReceiver receiver =
        EventStoreReceiver.open(settings, queue, link, timer, receivers::remove);
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
    long deadline = System.nanoTime() + settings.stepBound().toNanos();
    List<EventStoreReceiver> open =
        receivers.stream().filter(EventStoreReceiver::beginClose).toList();
    senders.forEach(EventStoreSender::beginClose);
    senders.forEach(sender -> sender.awaitOutcomes(deadline));
    open.forEach(receiver -> receiver.finishAcks(deadline));
    open.forEach(EventStoreReceiver::giveBack);
    open.forEach(receiver -> receiver.ended(deadline));
    link.close();
    List<Runnable> unused = timer.shutdownNow();
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this connection to " + settings.endpoint() + " is closed");
    }
  }
}
