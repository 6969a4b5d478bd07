package org.mqproof.eventstore;

import io.grpc.Status;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendReq;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/**
 * Sends to one queue. A batch takes one append request, or as many as its size needs; requests are
 * sent without waiting for the answers to earlier ones, up to {@code appends.in.flight}.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The connection's thread completes the
 * futures.
 */
final class EventStoreSender implements Sender {

  private final EventStoreSettings settings;
  private final String queue;
  private final Link link;
  private final ScheduledExecutorService timer;
  private final Consumer<EventStoreSender> onClose;
  private final Semaphore room;
  private final Set<Append> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  EventStoreSender(
      EventStoreSettings settings,
      String queue,
      Link link,
      ScheduledExecutorService timer,
      Consumer<EventStoreSender> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.link = link;
    this.timer = timer;
    this.onClose = onClose;
    room = new Semaphore(settings.get(EventStoreSettings.APPENDS_IN_FLIGHT));
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before sending to queue " + queue);
    }
    SendBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return;
    }
    publish(sending);
    try {
      await(sending, Math.max(0, sending.deadlineNanos() - System.nanoTime()));
    } catch (TimeoutException e) {
      sending.abandon(
          Status.DEADLINE_EXCEEDED
              .withDescription("no confirm within %d ms".formatted(settings.callBound().toMillis()))
              .asRuntimeException());
      awaitEnded(sending);
    }
  }

  private static void await(SendBatch sending, long leftNanos)
      throws InterruptedException, TimeoutException {
    try {
      sending.done().get(leftNanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw unwrap(e);
    }
  }

  private static void awaitEnded(SendBatch ended) throws InterruptedException {
    try {
      ended.done().get();
    } catch (ExecutionException e) {
      throw unwrap(e);
    }
  }

  private static RuntimeException unwrap(ExecutionException e) {
    return e.getCause() instanceof SendFailedException failed
        ? failed
        : new IllegalStateException("a batch ends in no other way", e);
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    SendBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      publish(sending);
    } catch (InterruptedException e) {
      // What was not handed over is rejected, and the future tells.
      Thread.currentThread().interrupt();
    }
    return sending.done();
  }

  private SendBatch newBatch(List<Message> batch) {
    return new SendBatch(
        settings.endpoint() + ", queue " + queue,
        batch,
        System.nanoTime() + settings.callBound().toNanos());
  }

  private void publish(SendBatch batch) throws InterruptedException {
    int largest = settings.traits().largestBodyBytes();
    int left = settings.get(EventStoreSettings.MAX_APPEND_BYTES);
    List<Integer> indexes = new ArrayList<>();
    List<List<Integer>> parts = new ArrayList<>(List.of(indexes));
    List<Integer> tooLarge = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      int bytes = batch.body(i).length;
      if (bytes > largest) {
        tooLarge.add(i);
        continue;
      }
      bytes += EventStoreSettings.EVENT_OVERHEAD_BYTES;
      if (bytes > left) {
        indexes = new ArrayList<>();
        parts.add(indexes);
        left = settings.get(EventStoreSettings.MAX_APPEND_BYTES);
      }
      indexes.add(i);
      left -= bytes;
    }
    parts.removeIf(List::isEmpty);
    for (int i = 0; i < parts.size(); i++) {
      try {
        append(batch, parts.get(i));
      } catch (InterruptedException e) {
        Throwable cause = Status.CANCELLED.withDescription("interrupted").asRuntimeException();
        parts
            .subList(i, parts.size())
            .forEach(unsent -> batch.settle(unsent, Outcome.REJECTED, cause));
        rejectTooLarge(batch, tooLarge, largest);
        throw e;
      }
    }
    rejectTooLarge(batch, tooLarge, largest);
  }

  private static void rejectTooLarge(SendBatch batch, List<Integer> tooLarge, int largest) {
    if (!tooLarge.isEmpty()) {
      batch.settle(
          tooLarge,
          Outcome.REJECTED,
          Status.INVALID_ARGUMENT
              .withDescription(
                  "message %d is larger than %d bytes".formatted(tooLarge.get(0), largest))
              .asRuntimeException());
    }
  }

  private void append(SendBatch batch, List<Integer> indexes) throws InterruptedException {
    long left = batch.deadlineNanos() - System.nanoTime();
    if (!room.tryAcquire(Math.max(0, left), TimeUnit.NANOSECONDS)) {
      batch.settle(
          indexes,
          Outcome.REJECTED,
          Status.RESOURCE_EXHAUSTED
              .withDescription("earlier appends had no answer in time")
              .asRuntimeException());
      return;
    }
    List<AppendReq> events =
        indexes.stream().map(i -> Requests.event(EventId.random(), batch.body(i))).toList();
    Append append = new Append(link, timer, queue, batch, indexes, events, this::ended);
    underWay.add(append);
    if (closed) { // by another thread, which may have waited for everything but this
      ended(append);
      batch.settle(
          indexes,
          Outcome.REJECTED,
          Status.CANCELLED.withDescription("the sender was closed").asRuntimeException());
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

  /** Takes no more batches. */
  void beginClose() {
    closed = true;
  }

  /** Waits for the outcome of what is under way; what has none at the deadline is unknown. */
  void awaitOutcomes(long deadlineNanos) {
    int all = settings.get(EventStoreSettings.APPENDS_IN_FLIGHT);
    boolean interrupted = false;
    boolean waiting = true;
    while (waiting) {
      try {
        long left = Math.max(0, deadlineNanos - System.nanoTime());
        if (room.tryAcquire(all, left, TimeUnit.NANOSECONDS)) {
          room.release(all);
        }
        waiting = false;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    Throwable cause =
        Status.CANCELLED.withDescription("the sender was closed").asRuntimeException();
    List.copyOf(underWay).forEach(append -> append.abandon(cause));
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
