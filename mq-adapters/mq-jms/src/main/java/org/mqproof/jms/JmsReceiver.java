package org.mqproof.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Receiver;

/**
 * Receives from one queue over a connection of its own, so that closing it, or its death, gives
 * back exactly this receiver's messages.
 *
 * <p>The client's thread brings messages; a thread of this receiver acks: what gathers while an ack
 * is under way goes with the next one. When the connection fails, so does this receiver: its claims
 * went with the connection, and it must be opened anew.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 */
final class JmsReceiver implements Receiver, JmsSink {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final JmsSettings settings;
  private final String queue;
  private final Nodes nodes;
  private final Connection connection;
  private final Consumer<JmsReceiver> onClose;
  private final int prefetch;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrivals = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final UnackedChain unacked = new UnackedChain();
  private final Deque<JmsDelivery> arrived = new ArrayDeque<>();
  private List<JmsDelivery> toAck = new ArrayList<>();
  private List<CompletableFuture<Void>> toComplete = new ArrayList<>();
  private long arrivedSoFar;
  private boolean closed;
  private @Nullable Exception failure;
  private @Nullable JmsSubscription subscription; // set before the thread starts

  /** Starts when {@link #start} is called. */
  JmsReceiver(
      JmsSettings settings,
      String queue,
      Nodes nodes,
      Connection connection,
      Consumer<JmsReceiver> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.nodes = nodes;
    this.connection = connection;
    this.onClose = onClose;
    prefetch = settings.get(JmsSettings.PREFETCH);
    thread = new Thread(this::run, settings.threadName("receiver-" + queue));
    thread.setDaemon(true);
  }

  JmsReceiver start(JmsSubscription started) {
    subscription = started;
    thread.start();
    return this;
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, was " + max);
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
    }
    long left = timeout.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : timeout.toNanos();
    lock.lockInterruptibly();
    try {
      requireOpen();
      requireAlive();
      while (arrived.isEmpty() && left > 0) {
        left = arrivals.awaitNanos(left);
        requireOpen();
        requireAlive();
      }
      if (arrived.isEmpty() && subscription != null && subscription.isEnded()) {
        failed(new MqException("the broker ended it: its queue was deleted"));
        requireAlive();
      }
      List<Delivery> taken = new ArrayList<>(Math.min(max, arrived.size()));
      while (taken.size() < max && !arrived.isEmpty()) {
        taken.add(arrived.remove());
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    CompletableFuture<Void> future = new CompletableFuture<>();
    lock.lock();
    try {
      requireOpen();
      List<JmsDelivery> named = new ArrayList<>(deliveries.size());
      for (Delivery delivery : deliveries) {
        if (!(delivery instanceof JmsDelivery own) || !own.belongsTo(this)) {
          throw new IllegalArgumentException(
              "%s was not delivered by this receiver of queue %s".formatted(delivery, queue));
        }
        named.add(own);
      }
      if (failure != null) {
        future.completeExceptionally(lost(failure));
        return future;
      }
      for (JmsDelivery delivery : named) {
        if (!delivery.acked) {
          delivery.acked = true;
          toAck.add(delivery);
        }
      }
      // Also for what was acked before: that ack may still be under way, and this one is after it.
      toComplete.add(future);
      work.signal();
    } finally {
      lock.unlock();
    }
    return future;
  }

  @Override
  public void close() {
    beginClose();
    awaitClosed(System.nanoTime() + settings.callBound().toNanos());
  }

  /** Starts to close and does not wait. */
  void beginClose() {
    lock.lock();
    try {
      closed = true;
      arrivals.signalAll();
      room.signalAll();
      work.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until acks are settled and the connection is closed. */
  void awaitClosed(long deadlineNanos) {
    Threads.awaitEnd(thread, deadlineNanos);
    completeLost(new MqException(settings.endpoint() + ": the receiver was closed"));
    onClose.accept(this);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver of queue " + queue + " is closed");
    }
  }

  private void requireAlive() {
    if (failure != null) {
      throw lost(failure);
    }
  }

  private MqException lost(Exception cause) {
    return new MqException(
        "%s: the receiver of queue %s failed and must be opened anew: %s"
            .formatted(settings.endpoint(), queue, Errors.reason(cause)),
        cause);
  }

  // The client's threads.

  @Override
  public void awaitRoom() {
    lock.lock();
    try {
      while (unacked.size() >= prefetch && !closed && failure == null) {
        room.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void arrived(Object handle, byte[] body) {
    lock.lock();
    try {
      if (closed || failure != null) {
        return; // goes back with the connection
      }
      JmsDelivery delivery = new JmsDelivery(this, handle, new Message(body), arrivedSoFar++);
      unacked.add(delivery);
      arrived.add(delivery);
      arrivals.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void failed(Exception cause) {
    lock.lock();
    try {
      if (failure == null) {
        failure = cause;
      }
      arrived.clear();
      arrivals.signalAll();
      room.signalAll();
      work.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // From here on this receiver's thread's.

  private void run() {
    List<CompletableFuture<Void>> futures = new ArrayList<>();
    List<JmsDelivery> deliveries = new ArrayList<>();
    while (awaitAcks(futures, deliveries)) {
      ack(deliveries);
      Exception cause = failure();
      for (CompletableFuture<Void> future : futures) {
        if (cause == null) {
          future.complete(null);
        } else {
          future.completeExceptionally(lost(cause));
        }
      }
      futures.clear();
      deliveries.clear();
    }
    Exception unused = nodes.close(connection);
  }

  /** Takes the acks that were given; false when there is nothing left to do. */
  private boolean awaitAcks(List<CompletableFuture<Void>> futures, List<JmsDelivery> deliveries) {
    lock.lock();
    try {
      while (toComplete.isEmpty() && !closed && failure == null) {
        work.awaitUninterruptibly();
      }
      futures.addAll(toComplete);
      deliveries.addAll(toAck);
      toComplete = new ArrayList<>();
      toAck = new ArrayList<>();
      return !futures.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void ack(List<JmsDelivery> deliveries) {
    List<JmsSubscription.Run> runs;
    lock.lock();
    try {
      if (failure != null || deliveries.isEmpty()) {
        return;
      }
      runs = unacked.runs(deliveries);
    } finally {
      lock.unlock();
    }
    JmsSubscription acking = subscription;
    try {
      if (acking != null) {
        acking.ack(runs);
      }
    } catch (JMSException | RuntimeException e) {
      failed(e); // some acks may be settled, and nobody knows which
      return;
    }
    lock.lock();
    try {
      deliveries.forEach(unacked::remove);
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Exception failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /** Only if the thread hangs in the client: nobody waits for ever for an ack. */
  private void completeLost(MqException cause) {
    List<CompletableFuture<Void>> lost;
    lock.lock();
    try {
      lost = toComplete;
      toComplete = new ArrayList<>();
    } finally {
      lock.unlock();
    }
    lost.forEach(future -> future.completeExceptionally(cause));
  }
}
