package org.mqproof.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;

/** Claims messages of one queue. For one thread at a time; may be closed by another. */
final class MemoryReceiver implements Receiver {

  private final MemoryQueue queue;
  private final MemoryBroker broker;
  private final Set<MemoryReceiver> open;
  private volatile boolean closed;

  /** Open claims. Guarded by the queue's lock. */
  int inFlight;

  MemoryReceiver(MemoryQueue queue, MemoryBroker broker, Set<MemoryReceiver> open) {
    this.queue = queue;
    this.broker = broker;
    this.open = open;
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    requireOpen();
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, was " + max);
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
    }
    return queue.receive(this, max, timeout);
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    requireOwn(deliveries);
    try {
      broker.requireAnswer();
      int late = queue.ack(deliveries);
      if (late == 0) {
        return CompletableFuture.completedFuture(null);
      }
    } catch (MqException e) {
      Outcome ofOthers = broker.isRefusing() ? Outcome.REJECTED : Outcome.UNKNOWN;
      return notAcked("not acked: " + e.getMessage(), queue.outcomes(deliveries, ofOthers), e);
    }
    return notAcked(
        "claims had ended before this ack reached " + broker.endpoint(),
        queue.outcomes(deliveries, Outcome.REJECTED),
        null);
  }

  private static CompletableFuture<Void> notAcked(
      String message, List<Outcome> outcomes, @Nullable MqException cause) {
    return outcomes.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)
        ? CompletableFuture.completedFuture(null) // by an ack before
        : CompletableFuture.failedFuture(new AckFailedException(message, outcomes, cause));
  }

  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    requireOwn(deliveries);
    try {
      broker.requireAnswer();
      queue.release(deliveries);
      return CompletableFuture.completedFuture(null);
    } catch (MqException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    requireOwn(deliveries);
    try {
      broker.requireAnswer();
      int late = queue.extend(deliveries);
      return late == 0
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(
              new MqException(
                  "the claims of %d of %d messages had ended before they could be extended at %s"
                      .formatted(late, deliveries.size(), broker.endpoint())));
    } catch (MqException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void requireOwn(Collection<? extends Delivery> deliveries) {
    requireOpen();
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof MemoryDelivery claimed) || claimed.receiver != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    open.remove(this);
    queue.giveBack(this);
    queue.wakeAll();
  }

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver is closed");
    }
  }
}
