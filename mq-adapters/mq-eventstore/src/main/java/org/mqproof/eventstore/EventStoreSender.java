package org.mqproof.eventstore;

import io.grpc.Status;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendReq;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.mqproof.Outcome;
import org.mqproof.support.AbstractSender;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.PendingBatch;

/**
 * Sends to one queue. A batch takes one append request, or as many as its size needs; requests are
 * sent without waiting for the answers to earlier ones, up to {@code appends.in.flight}.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The connection's thread completes the
 * futures.
 */
final class EventStoreSender extends AbstractSender {

  private final EventStoreSettings settings;
  private final String queue;
  private final Link link;
  private final ScheduledExecutorService timer;
  private final Consumer<EventStoreSender> onClose;
  private final Semaphore room;
  private final Set<Append> underWay = ConcurrentHashMap.newKeySet();

  EventStoreSender(
      EventStoreSettings settings,
      String queue,
      Link link,
      ScheduledExecutorService timer,
      Consumer<EventStoreSender> onClose) {
    super(
        settings.endpoint(),
        queue,
        Errors::reason,
        MessageLimits.of(settings.traits()),
        settings.callBound());
    this.settings = settings;
    this.queue = queue;
    this.link = link;
    this.timer = timer;
    this.onClose = onClose;
    room = new Semaphore(settings.get(EventStoreSettings.APPENDS_IN_FLIGHT));
  }

  /** What was handed over when the caller is interrupted goes on. */
  @Override
  protected void publish(PendingBatch batch, boolean awaited) throws InterruptedException {
    if (batch.rejectRefused()) {
      batch.complete();
    }
    List<List<Integer>> parts = parts(batch);
    for (int i = 0; i < parts.size(); i++) {
      try {
        append(batch, parts.get(i));
      } catch (InterruptedException e) {
        for (List<Integer> unsent : parts.subList(i, parts.size())) {
          reject(batch, unsent, Status.CANCELLED.withDescription("interrupted"));
        }
        if (awaited) {
          throw e;
        }
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** What fits into one append each. */
  private List<List<Integer>> parts(PendingBatch batch) {
    int left = settings.get(EventStoreSettings.MAX_APPEND_BYTES);
    List<Integer> indexes = new ArrayList<>();
    List<List<Integer>> parts = new ArrayList<>(List.of(indexes));
    for (int i = 0; i < batch.size(); i++) {
      if (batch.isRefused(i)) {
        continue;
      }
      int bytes = batch.body(i).length + EventStoreSettings.EVENT_OVERHEAD_BYTES;
      if (bytes > left) {
        indexes = new ArrayList<>();
        parts.add(indexes);
        left = settings.get(EventStoreSettings.MAX_APPEND_BYTES);
      }
      indexes.add(i);
      left -= bytes;
    }
    parts.removeIf(List::isEmpty);
    return parts;
  }

  private static void reject(PendingBatch batch, List<Integer> indexes, Status reason) {
    Throwable cause = reason.asRuntimeException();
    indexes.forEach(index -> batch.end(index, Outcome.REJECTED, cause));
  }

  @Override
  protected void giveUp(PendingBatch batch, Exception cause) {
    batch.giveUp(cause);
  }

  private void append(PendingBatch batch, List<Integer> indexes) throws InterruptedException {
    long left = batch.deadlineNanos() - System.nanoTime();
    if (!room.tryAcquire(Math.max(0, left), TimeUnit.NANOSECONDS)) {
      reject(
          batch,
          indexes,
          Status.RESOURCE_EXHAUSTED.withDescription("earlier appends had no answer in time"));
      return;
    }
    List<AppendReq> events =
        indexes.stream().map(i -> Requests.event(EventId.random(), batch.body(i))).toList();
    Append append = new Append(link, timer, queue, batch, indexes, events, this::ended);
    underWay.add(append);
    if (isClosed()) { // by another thread, which may have waited for everything but this
      ended(append);
      reject(batch, indexes, Status.CANCELLED.withDescription("the sender was closed"));
      return;
    }
    append.start();
  }

  private void ended(Append append) {
    underWay.remove(append);
    room.release();
  }

  @Override
  public void close() {
    beginClose();
    awaitOutcomes(System.nanoTime() + settings.callBound().toNanos());
    onClose.accept(this);
  }

  /** Waits for the outcome of what is under way; what has none at the deadline is unknown. */
  void awaitOutcomes(long deadlineNanos) {
    int all = settings.get(EventStoreSettings.APPENDS_IN_FLIGHT);
    if (BoundedWaits.await(
        deadlineNanos, left -> room.tryAcquire(all, left, TimeUnit.NANOSECONDS))) {
      room.release(all);
    }
    Throwable cause =
        Status.CANCELLED.withDescription("the sender was closed").asRuntimeException();
    List.copyOf(underWay).forEach(append -> append.abandon(cause));
  }
}
