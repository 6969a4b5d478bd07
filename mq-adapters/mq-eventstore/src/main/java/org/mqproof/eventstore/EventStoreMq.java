package org.mqproof.eventstore;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Predicate;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.Arguments;
import org.mqproof.support.OpenParts;

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
  private final OpenParts<EventStoreSender, EventStoreReceiver> parts;

  private EventStoreMq(EventStoreSettings settings) {
    this.settings = settings;
    parts = new OpenParts<>(settings.endpoint());
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
    parts.requireOpen();
    Arguments.requireQueueName(queue);
    String what = "create queue " + queue;
    unlessSo(
        what, (channel, left) -> Requests.createStream(channel, left, queue), failure -> false);
    boolean made =
        unlessSo(
            what,
            (channel, left) -> Requests.createGroup(channel, left, queue, settings),
            failure -> Errors.code(failure) == Status.Code.ALREADY_EXISTS);
    if (!made) {
      Subscription.check(settings, link, queue, what);
    }
  }

  @Override
  public void deleteQueue(String queue) {
    parts.requireOpen();
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

  /** Does a step that may have been done before; returns whether it was left to this call. */
  private boolean unlessSo(String what, Step step, Predicate<Throwable> isSo) {
    try {
      return link.call(
          what,
          (channel, left) -> {
            step.run(channel, left);
            return true;
          });
    } catch (StatusRuntimeException e) {
      if (!isSo.test(e)) {
        throw link.failure(what, e);
      }
      return false;
    }
  }

  @Override
  public Sender sender(String queue) {
    parts.requireOpen();
    Subscription.check(settings, link, queue, "send to queue " + queue);
    return parts.add(new EventStoreSender(settings, queue, link, timer, parts.senders()::remove));
  }

  @Override
  public Receiver receiver(String queue) {
    parts.requireOpen();
    return parts.add(
        EventStoreReceiver.open(settings, queue, link, timer, parts.receivers()::remove));
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
    long deadline = System.nanoTime() + settings.stepBound().toNanos();
    List<EventStoreReceiver> open =
        parts.receivers().stream().filter(EventStoreReceiver::beginClose).toList();
    parts.senders().forEach(EventStoreSender::beginClose);
    parts.senders().forEach(sender -> sender.awaitOutcomes(deadline));
    open.forEach(receiver -> receiver.finishAcks(deadline));
    open.forEach(EventStoreReceiver::giveBack);
    open.forEach(receiver -> receiver.ended(deadline));
    link.close();
    List<Runnable> unused = timer.shutdownNow();
  }
}
