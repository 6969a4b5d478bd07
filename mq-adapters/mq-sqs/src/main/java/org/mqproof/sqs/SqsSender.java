package org.mqproof.sqs;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.support.Futures;
import org.mqproof.support.MessageLimits;

/**
 * Sends to one queue in requests of up to ten messages, several of which are under way at a time.
 * Messages of several batches share a request when they wait together; each keeps an outcome of its
 * own. A message that waited for half of the call's bound behind requests without an answer is not
 * sent any more, and REJECTED.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The SDK's threads complete the futures and
 * send what waits.
 */
final class SqsSender implements Sender {

  private final SqsSettings settings;
  private final String where;
  private final MessageLimits limits;
  private final BodyText bodyText;
  private final Batcher<Entry> batcher;
  private final Consumer<SqsSender> onClose;
  private final Set<SendBatch> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  SqsSender(
      SqsSettings settings,
      Transport transport,
      String queue,
      String url,
      Consumer<SqsSender> onClose) {
    this.settings = settings;
    this.onClose = onClose;
    where = settings.name() + ", queue " + queue;
    limits = MessageLimits.of(settings.traits(), Headers::isReserved);
    bodyText = settings.get(SqsSettings.BODY);
    batcher =
        new Batcher<>(
            items -> transport.send(url, items.stream().map(Entry::message).toList()),
            settings.get(SqsSettings.REQUESTS),
            settings.get(SqsSettings.MAX_MESSAGE_BYTES));
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the batch was sent");
    }
    if (batch.isEmpty()) {
      return;
    }
    SendBatch sent = start(batch);
    if (!sent.awaitEnd(settings.callBound())) {
      sent.abandon("no answer within " + settings.callBound().toMillis() + " ms");
      // Another thread may have noted the last outcome, and be about to tell.
      boolean unused = sent.awaitEnd(settings.callBound());
    }
    SendFailedException failure = sent.failure();
    if (failure != null && (Thread.interrupted() || Errors.isOfAnInterrupt(failure))) {
      // Both SDKs look at the interrupt while they prepare a request, and fail it.
      InterruptedException interrupted = new InterruptedException("interrupted in " + where);
      interrupted.initCause(failure);
      throw interrupted;
    }
    if (failure != null) {
      // A new exception, so that the trace shows the caller.
      throw new SendFailedException(
          where + ": " + SendBatch.reason(failure), failure.outcomes(), failure);
    }
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    if (batch.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    boolean interrupted = Thread.interrupted(); // both SDKs would take it, and fail the request
    try {
      SendBatch started = start(batch);
      interrupted |= Errors.isOfAnInterrupt(started.done());
      return Futures.copy(started.done());
    } catch (InterruptedException e) {
      interrupted = true;
      return CompletableFuture.failedFuture(
          new SendFailedException(
              where + ": interrupted before the batch was sent",
              batch.stream().map(message -> Outcome.REJECTED).toList(),
              e));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private SendBatch start(List<Message> batch) throws InterruptedException {
    long now = System.nanoTime();
    SendBatch started = new SendBatch(where, batch.size());
    boolean room = batcher.awaitRoom(now + settings.stepBound().toNanos());
    open.add(started);
    var unused = started.done().whenComplete((done, failure) -> open.remove(started));
    long deadline = now + 2 * settings.stepBound().toNanos();
    List<Entry> entries = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Message message = batch.get(i);
      String refusal = limits.refusal(message);
      if (refusal != null) {
        started.settle(i, RequestFailed.neverSent(refusal));
      } else if (!room) {
        started.settle(
            i, RequestFailed.neverSent("it was not sent: earlier requests took too long"));
      } else {
        try {
          String text = bodyText.of(message.body());
          int bytes = bodyText == BodyText.TEXT ? message.body().length : text.length();
          bytes += message.headersBytes() + Headers.overhead(message.headers().size());
          Transport.Outgoing outgoing = new Transport.Outgoing(text, message.headers());
          entries.add(new Entry(started, i, outgoing, bytes, deadline));
        } catch (IllegalArgumentException e) {
          started.settle(
              i,
              RequestFailed.neverSent(
                  "the body of message %d is no text: %s".formatted(i, e.getMessage())));
        }
      }
    }
    batcher.add(entries);
    return started;
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this sender to " + where + " is closed");
    }
  }

  @Override
  public void close() {
    if (beginClose()) {
      finish(System.nanoTime() + settings.callBound().toNanos());
    }
  }

  /**
   * Refuses further calls.
   *
   * @return whether this was the first call
   */
  boolean beginClose() {
    return closed.compareAndSet(false, true);
  }

  /** Waits for the outcomes of what was sent; what has none then is unknown. */
  void finish(long deadlineNanos) {
    String reason =
        batcher.awaitIdle(deadlineNanos)
            ? "the sender was closed"
            : "the sender was closed, and the answer had not come in time";
    for (SendBatch batch : open) {
      batch.abandon(reason);
    }
    onClose.accept(this);
  }

  /** One message on its way. */
  private record Entry(
      SendBatch batch, int index, Transport.Outgoing message, int bytes, long deadlineNanos)
      implements Batcher.Item {

    @Override
    public void settled(@Nullable RequestFailed failure) {
      batch.settle(index, failure);
    }
  }
}
