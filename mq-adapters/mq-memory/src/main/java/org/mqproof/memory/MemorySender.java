package org.mqproof.memory;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.Traits;

/** Copies messages into a queue. For one thread at a time; may be closed by another. */
final class MemorySender implements Sender {

  private final MemoryQueue queue;
  private final MemoryBroker broker;
  private final Set<MemorySender> open;
  private final Traits limits;
  private volatile boolean closed;

  MemorySender(MemoryQueue queue, MemoryBroker broker, Set<MemorySender> open) {
    this.queue = queue;
    this.broker = broker;
    this.open = open;
    limits = broker.traits();
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    SendFailedException failure = store(batch);
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    try {
      SendFailedException failure = store(batch);
      return failure == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CompletableFuture.failedFuture(
          failed("interrupted while sending to " + broker.endpoint(), batch, Outcome.UNKNOWN, e));
    }
  }

  /** Returns null when every message is stored and confirmed. */
  private @Nullable SendFailedException store(List<Message> batch) throws InterruptedException {
    if (batch.isEmpty()) {
      return null;
    }
    long waitedNanos = queue.awaitRoom(this);
    int count = batch.size();
    MemoryDelivery[] copies = new MemoryDelivery[count];
    int stored = 0;
    for (int i = 0; i < count; i++) {
      Message message = batch.get(i);
      if (isWithinLimits(message)) {
        copies[stored++] = new MemoryDelivery(message.body().clone(), message.headers());
      }
    }
    MqException notStored =
        append(stored == count ? copies : Arrays.copyOf(copies, stored), waitedNanos);
    if (notStored != null) {
      return failed(
          broker.endpoint() + " stored nothing: " + notStored.getMessage(),
          batch,
          Outcome.REJECTED,
          notStored);
    }
    MqException noAnswer = null;
    if (broker.isHung()) {
      try {
        broker.awaitAnswer(waitedNanos);
      } catch (MqException e) {
        noAnswer = e;
      }
    }
    return stored == count && noAnswer == null ? null : failed(batch, noAnswer);
  }

  /** Excludes {@link #close}, after which nothing is stored. Returns why nothing was, or null. */
  private synchronized @Nullable MqException append(MemoryDelivery[] messages, long waitedNanos) {
    if (closed) {
      return new MqException("this sender was closed");
    }
    try {
      broker.requireAlive();
      queue.requireNotDeleted();
    } catch (MqException e) {
      return e;
    }
    if (waitedNanos >= broker.callBoundNanos()) {
      return new MqException("no room in the queue within the call bound");
    }
    if (messages.length > 0) {
      queue.append(messages);
    }
    return null;
  }

  private boolean isWithinLimits(Message message) {
    return message.sizeBytes() <= limits.largestBodyBytes()
        && message.headers().size() <= limits.mostHeaders()
        && message.headersBytes() <= limits.largestHeadersBytes();
  }

  private SendFailedException failed(List<Message> batch, @Nullable MqException noAnswer) {
    Outcome ofStored = noAnswer == null ? Outcome.CONFIRMED : Outcome.UNKNOWN;
    List<Outcome> outcomes =
        batch.stream()
            .map(message -> isWithinLimits(message) ? ofStored : Outcome.REJECTED)
            .toList();
    String message =
        noAnswer == null
            ? ("%s rejected messages larger than %d bytes, with more than %d headers,"
                    + " or with headers larger than %d bytes")
                .formatted(
                    broker.endpoint(),
                    limits.largestBodyBytes(),
                    limits.mostHeaders(),
                    limits.largestHeadersBytes())
            : "stored but not confirmed: " + noAnswer.getMessage();
    return new SendFailedException(message, outcomes, noAnswer);
  }

  private static SendFailedException failed(
      String message, List<Message> batch, Outcome outcome, Throwable cause) {
    return new SendFailedException(message, Collections.nCopies(batch.size(), outcome), cause);
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    open.remove(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender is closed");
    }
  }
}
