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

/** Copies bodies into a queue. For one thread at a time; may be closed by another. */
final class MemorySender implements Sender {

  private final MemoryQueue queue;
  private final MemoryBroker broker;
  private final Set<MemorySender> open;
  private volatile boolean closed;

  MemorySender(MemoryQueue queue, MemoryBroker broker, Set<MemorySender> open) {
    this.queue = queue;
    this.broker = broker;
    this.open = open;
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
    MqException notStored = null;
    if (!queue.awaitRoom()) {
      notStored = new MqException("no room in the queue within the call bound");
    }
    try {
      broker.requireAlive();
      queue.requireNotDeleted();
    } catch (MqException e) {
      notStored = e;
    }
    if (notStored != null) {
      return failed(
          broker.endpoint() + " stored nothing: " + notStored.getMessage(),
          batch,
          Outcome.REJECTED,
          notStored);
    }
    int count = batch.size();
    MemoryDelivery[] copies = new MemoryDelivery[count];
    int stored = 0;
    for (int i = 0; i < count; i++) {
      byte[] body = batch.get(i).body();
      if (body.length <= broker.largestBodyBytes()) {
        copies[stored++] = new MemoryDelivery(body.clone());
      }
    }
    if (stored > 0) {
      queue.append(stored == count ? copies : Arrays.copyOf(copies, stored));
    }
    MqException noAnswer = null;
    if (broker.isHung()) {
      try {
        broker.awaitAnswer();
      } catch (MqException e) {
        noAnswer = e;
      }
    }
    return stored == count && noAnswer == null ? null : failed(batch, noAnswer);
  }

  private SendFailedException failed(List<Message> batch, @Nullable MqException noAnswer) {
    Outcome ofStored = noAnswer == null ? Outcome.CONFIRMED : Outcome.UNKNOWN;
    List<Outcome> outcomes =
        batch.stream()
            .map(
                message ->
                    message.body().length <= broker.largestBodyBytes()
                        ? ofStored
                        : Outcome.REJECTED)
            .toList();
    String message =
        noAnswer == null
            ? broker.endpoint()
                + " rejected bodies larger than "
                + broker.largestBodyBytes()
                + " bytes"
            : "stored but not confirmed: " + noAnswer.getMessage();
    return new SendFailedException(message, outcomes, noAnswer);
  }

  private static SendFailedException failed(
      String message, List<Message> batch, Outcome outcome, Throwable cause) {
    return new SendFailedException(message, Collections.nCopies(batch.size(), outcome), cause);
  }

  @Override
  public void close() {
    closed = true;
    open.remove(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender is closed");
    }
  }
}
