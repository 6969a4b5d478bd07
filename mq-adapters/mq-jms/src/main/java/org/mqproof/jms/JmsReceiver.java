package org.mqproof.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;

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

  /** One that waits longer looks in between whether the broker has ended its subscription. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** An ack that was given, and has no answer. */
  private record Pending(List<JmsDelivery> deliveries, CompletableFuture<Void> future) {}

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

  /** Older than all that arrived and were not handed out. */
  private final Queue<JmsDelivery> released =
      new PriorityQueue<>(Comparator.comparingLong(delivery -> delivery.number));

  private List<JmsDelivery> toAck = new ArrayList<>();
  private List<Pending> toComplete = new ArrayList<>();
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
    long left = Arguments.timeoutNanos(max, timeout);
    lock.lockInterruptibly();
    try {
      requireOpen();
      requireAlive();
      while (isEmpty() && left > 0 && !isEnded()) {
        long wait = Math.min(left, LONGEST_WAIT_NANOS);
        left -= wait - arrivals.awaitNanos(wait);
        requireOpen();
        requireAlive();
      }
      if (isEmpty() && isEnded()) {
        failed(new MqException("the broker ended it: its queue was deleted"));
        requireAlive();
      }
      List<Delivery> taken = new ArrayList<>(Math.min(max, released.size() + arrived.size()));
      while (taken.size() < max && !isEmpty()) {
        taken.add(released.isEmpty() ? arrived.remove() : released.remove());
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private boolean isEnded() {
    return subscription != null && subscription.isEnded();
  }

  private boolean isEmpty() {
    return released.isEmpty() && arrived.isEmpty();
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    Pending ack = new Pending(ours(deliveries), new CompletableFuture<>());
    lock.lock();
    try {
      requireOpen();
      if (failure == null) {
        for (JmsDelivery delivery : ack.deliveries()) {
          if (delivery.state == JmsDelivery.State.CLAIMED) {
            delivery.state = JmsDelivery.State.ACKING;
            toAck.add(delivery);
          }
        }
        // Also for what was acked before: that ack may still be under way, and this one is after
        // it.
        toComplete.add(ack);
        work.signal();
        return ack.future();
      }
    } finally {
      lock.unlock();
    }
    complete(ack);
    return ack.future();
  }

  /** Nothing goes to the broker: this receiver keeps the claim and hands the message out again. */
  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    List<JmsDelivery> ours = ours(deliveries);
    lock.lock();
    try {
      requireOpen();
      if (failure != null) {
        return CompletableFuture.failedFuture(lost(failure));
      }
      for (JmsDelivery delivery : ours) {
        if (delivery.state == JmsDelivery.State.CLAIMED) {
          JmsDelivery again = delivery.again();
          delivery.state = JmsDelivery.State.RELEASED;
          unacked.replace(delivery, again);
          released.add(again);
        }
      }
      return CompletableFuture.completedFuture(null);
    } finally {
      lock.unlock();
    }
  }

  /** Claims last as long as the connection. */
  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    List<JmsDelivery> unused = ours(deliveries);
    lock.lock();
    try {
      requireOpen();
      return failure == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(lost(failure));
    } finally {
      lock.unlock();
    }
  }

  private List<JmsDelivery> ours(Collection<? extends Delivery> deliveries) {
    List<JmsDelivery> ours = new ArrayList<>(deliveries.size());
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof JmsDelivery own) || !own.belongsTo(this)) {
        throw new IllegalArgumentException(
            "%s was not delivered by this receiver of queue %s".formatted(delivery, queue));
      }
      ours.add(own);
    }
    return ours;
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
    boolean unused = BoundedWaits.awaitEnd(thread, deadlineNanos);
    takePending().forEach(this::complete); // only if the thread hangs in the client
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
            .formatted(settings.endpoint(), queue, Causes.reason(cause)),
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
  public void arrived(Object handle, Message message) {
    lock.lock();
    try {
      if (closed || failure != null) {
        return; // goes back with the connection
      }
      JmsDelivery delivery = new JmsDelivery(this, handle, message, arrivedSoFar++);
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
      released.clear();
      arrivals.signalAll();
      room.signalAll();
      work.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // From here on this receiver's thread's.

  private void run() {
    boolean goOn = true;
    while (goOn) {
      goOn = settleNext();
    }
    Exception unused = nodes.close(connection);
  }

  /** Settles the acks that were given; false when there is nothing left to do. */
  private boolean settleNext() {
    List<Pending> pending;
    List<JmsDelivery> deliveries;
    lock.lock();
    try {
      while (toComplete.isEmpty() && !closed && failure == null) {
        work.awaitUninterruptibly();
      }
      pending = takePending();
      deliveries = toAck;
      toAck = new ArrayList<>();
    } finally {
      lock.unlock();
    }
    settle(deliveries);
    pending.forEach(this::complete);
    return !pending.isEmpty();
  }

  private void settle(List<JmsDelivery> deliveries) {
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
    JmsDelivery.State result = JmsDelivery.State.UNKNOWN;
    JmsSubscription acking = subscription;
    try {
      if (acking != null) {
        acking.ack(runs);
        result = JmsDelivery.State.SETTLED;
      }
    } catch (JMSException | RuntimeException e) {
      failed(e); // some acks may be settled, and nobody knows which
    } finally {
      ended(deliveries, result);
    }
  }

  private void ended(List<JmsDelivery> deliveries, JmsDelivery.State result) {
    lock.lock();
    try {
      for (JmsDelivery delivery : deliveries) {
        delivery.state = result;
        unacked.remove(delivery);
      }
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private List<Pending> takePending() {
    lock.lock();
    try {
      List<Pending> taken = toComplete;
      toComplete = new ArrayList<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** By what has become of its deliveries. */
  private void complete(Pending ack) {
    List<Outcome> outcomes;
    Exception cause;
    lock.lock();
    try {
      outcomes = ack.deliveries().stream().map(delivery -> delivery.state.outcome()).toList();
      cause = failure;
    } finally {
      lock.unlock();
    }
    if (outcomes.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
      ack.future().complete(null);
      return;
    }
    String reason =
        cause == null
            ? "%s, queue %s: a claim had ended before the ack arrived"
                .formatted(settings.endpoint(), queue)
            : String.valueOf(lost(cause).getMessage());
    ack.future().completeExceptionally(new AckFailedException(reason, outcomes, cause));
  }
}
