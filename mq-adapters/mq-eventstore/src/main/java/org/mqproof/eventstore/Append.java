package org.mqproof.eventstore;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendReq;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendResp;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.PendingBatch;

/**
 * One append request, which the server stores as a whole or not at all. It is sent again while the
 * node does not answer or does not lead; its event ids stay the same, by which the server knows an
 * append that it has stored already.
 *
 * <p>Thread-safe: the caller starts it, the connection's thread and a timer go on with it.
 */
final class Append {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Link link;
  private final ScheduledExecutorService timer;
  private final String queue;
  private final PendingBatch batch;
  private final List<Integer> indexes;
  private final List<AppendReq> events;
  private final Consumer<Append> onEnd;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean maybeStored;

  /**
   * Not sent yet.
   *
   * @param indexes of the messages in their batch
   * @param events one per index
   * @param onEnd called once, when the outcome is known or given up
   */
  Append(
      Link link,
      ScheduledExecutorService timer,
      String queue,
      PendingBatch batch,
      List<Integer> indexes,
      List<AppendReq> events,
      Consumer<Append> onEnd) {
    this.link = link;
    this.timer = timer;
    this.queue = queue;
    this.batch = batch;
    this.indexes = indexes;
    this.events = events;
    this.onEnd = onEnd;
  }

  /** Sends it; returns when it is handed over. */
  void start() {
    if (ended.get()) {
      return;
    }
    ManagedChannel channel;
    try {
      channel = link.channel();
    } catch (MqException | IllegalStateException e) {
      sendAgain(e); // nothing was sent
      return;
    }
    long left = batch.deadlineNanos() - System.nanoTime();
    if (left <= 0) {
      end(notStored(), late());
      return;
    }
    Requests.append(channel, left, queue, events, new Answer(channel));
  }

  private static Throwable late() {
    return Status.DEADLINE_EXCEEDED.withDescription("no confirm in time").asRuntimeException();
  }

  /** What is true of an attempt that the server refused, or that was never made. */
  private Outcome notStored() {
    return maybeStored ? Outcome.UNKNOWN : Outcome.REJECTED;
  }

  private void sendAgain(Throwable cause) {
    if (batch.deadlineNanos() - System.nanoTime() <= PAUSE.toNanos()) {
      end(notStored(), cause);
      return;
    }
    try {
      ScheduledFuture<?> unused =
          timer.schedule(this::start, PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      end(notStored(), cause);
    }
  }

  private void failed(ManagedChannel channel, Throwable cause) {
    link.failed(channel, cause);
    if (!Errors.isRefusal(cause)) {
      maybeStored = true;
    }
    if (Errors.isPassing(cause)) {
      sendAgain(cause);
    } else {
      end(Errors.isRefusal(cause) ? notStored() : Outcome.UNKNOWN, cause);
    }
  }

  /** Gives up: the messages are unknown, or rejected if none of them was ever sent. */
  void abandon(Throwable cause) {
    end(Outcome.UNKNOWN, cause);
  }

  private void end(Outcome outcome, Throwable cause) {
    if (ended.compareAndSet(false, true)) {
      onEnd.accept(this);
      indexes.forEach(index -> batch.end(index, outcome, cause));
    }
  }

  private void confirmed() {
    if (ended.compareAndSet(false, true)) {
      onEnd.accept(this);
      indexes.forEach(index -> batch.end(index, Outcome.CONFIRMED, null));
    }
  }

  /** Of one attempt; called by the connection's thread, one call after the other. */
  private final class Answer implements StreamObserver<AppendResp> {

    private final ManagedChannel channel;
    private boolean answered;

    private Answer(ManagedChannel channel) {
      this.channel = channel;
    }

    @Override
    public void onNext(AppendResp answer) {
      answered = true;
      if (answer.hasSuccess()) {
        confirmed();
        return;
      }
      failed(
          channel,
          Status.FAILED_PRECONDITION
              .withDescription("there is no stream " + queue + ": the queue was never created")
              .asRuntimeException());
    }

    @Override
    public void onError(Throwable failure) {
      if (!answered) {
        failed(channel, failure);
      }
    }

    @Override
    public void onCompleted() {
      if (!answered) {
        failed(channel, Status.INTERNAL.withDescription("no answer").asRuntimeException());
      }
    }
  }
}
