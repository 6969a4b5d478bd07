package org.mqproof.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Delivery;
import org.mqproof.MqException;
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
    requireOpen();
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof MemoryDelivery claimed) || claimed.receiver != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
    }
    try {
      broker.requireAnswer();
      int late = queue.ack(deliveries);
      return late == 0
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(
              new MqException(
                  "the claims of %d of %d messages had ended before this ack reached %s"
                      .formatted(late, deliveries.size(), broker.endpoint())));
    } catch (MqException e) {
      return CompletableFuture.failedFuture(e);
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
