package org.mqproof.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/**
 * One queue. Thread-safe.
 *
 * <p>Senders append whole batches to a linked inbox without a lock: one atomic swap per batch.
 * Receivers, acks and expiry share one lock, taken once per batch. A sender touches that lock only
 * when a receiver has parked, and receivers look at the inbox for some microseconds before they do.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // the counters are volatile for readers; writers lock
final class MemoryQueue {

  /**
   * How often a receiver looks at an empty inbox before it parks: about 10 microseconds, less than
   * the cost of being woken, and too short to hurt where threads outnumber cores.
   */
  private static final int POLLS_BEFORE_PARKING = 200;

  /**
   * A sender that waits for room is woken when an eighth of the capacity is free, so that it is not
   * woken by every ack; it also looks by itself this often, so that less room is used too.
   */
  private static final long ROOM_POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final VarHandle TAIL;
  private static final VarHandle NEXT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(MemoryQueue.class, "tail", Batch.class);
      NEXT = lookup.findVarHandle(Batch.class, "next", Batch.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String name;
  private final MemoryBroker broker;

  // Written by senders.
  private volatile Batch tail = new Batch(new MemoryDelivery[0]);
  private final AtomicLong sent = new AtomicLong();

  // Written by anyone who holds the lock, read by senders.
  private volatile long removed;
  private volatile int parkedReceivers;
  private volatile int parkedSenders;
  private volatile boolean deleted;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition claimEnded = lock.newCondition();
  private final Condition room = lock.newCondition();

  // Guarded by the lock.
  private Batch head = tail;
  private int taken;
  private long positions;
  private final PriorityQueue<MemoryDelivery> returned =
      new PriorityQueue<>(Comparator.comparingLong(delivery -> delivery.position));
  private @Nullable MemoryDelivery oldestClaim;
  private @Nullable MemoryDelivery newestClaim;

  MemoryQueue(String name, MemoryBroker broker) {
    this.name = name;
    this.broker = broker;
  }

  /** Appends messages, in order, whatever the capacity. */
  void append(MemoryDelivery[] messages) {
    Batch batch = new Batch(messages);
    sent.getAndAdd(messages.length);
    Batch before = (Batch) TAIL.getAndSet(this, batch);
    NEXT.setRelease(before, batch);
    // The swap above comes before this read, and a receiver counts itself in before its last look
    // at the tail: one of the two sees the other.
    if (parkedReceivers > 0) {
      lock.lock();
      try {
        arrived.signal();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Waits until the queue holds fewer messages than its capacity, or there is a reason not to wait:
   * the broker refuses, the queue is deleted, the sender is closed.
   *
   * @return how long it waited, in nanoseconds; the call bound or more if there is still no room
   */
  long awaitRoom(MemorySender sender) throws InterruptedException {
    if (hasRoom(1)) {
      return 0;
    }
    for (int poll = 0; poll < POLLS_BEFORE_PARKING; poll++) {
      Thread.onSpinWait();
      if (hasRoom(1)) {
        return 0;
      }
    }
    long start = broker.nanoTime();
    lock.lockInterruptibly();
    parkedSenders++;
    try {
      while (true) {
        boolean over = hasRoom(1) || deleted || broker.isRefusing() || sender.isClosed();
        long waited = broker.nanoTime() - start;
        if (over || waited >= broker.callBoundNanos()) {
          return waited;
        }
        long left = room.awaitNanos(ROOM_POLL_INTERVAL_NANOS);
        assert left <= ROOM_POLL_INTERVAL_NANOS;
      }
    } finally {
      parkedSenders--;
      lock.unlock();
    }
  }

  private boolean hasRoom(int free) {
    return sent.get() - removed <= broker.capacity() - free;
  }

  List<Delivery> receive(MemoryReceiver receiver, int max, Duration timeout)
      throws InterruptedException {
    try {
      return awaitMessages(receiver, max, timeout);
    } catch (InterruptedException e) {
      // It may have been woken before it was interrupted.
      lock.lock();
      try {
        passOn();
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  private List<Delivery> awaitMessages(MemoryReceiver receiver, int max, Duration timeout)
      throws InterruptedException {
    long start = broker.nanoTime();
    long timeoutNanos = MemoryBroker.saturatedNanos(timeout);
    List<Delivery> batch = new ArrayList<>(Math.min(max, 16));
    boolean looked = timeoutNanos == 0;
    while (true) {
      Batch last;
      lock.lockInterruptibly();
      try {
        long waited = broker.nanoTime() - start;
        receiver.requireOpen();
        broker.requireAlive();
        requireNotDeleted();
        boolean hung = broker.isHung();
        if (!hung) {
          take(receiver, max, start + waited, batch);
        }
        if (!batch.isEmpty() || (!hung && waited >= timeoutNanos)) {
          passOn();
          break;
        }
        long left = timeoutNanos - waited;
        if (hung) {
          left = MemoryBroker.saturatedSum(left, broker.callBoundNanos());
          if (left <= 0) {
            throw broker.noAnswer();
          }
        }
        last = head;
        if (looked) {
          park(receiver, left);
        }
      } finally {
        lock.unlock();
      }
      if (!looked) {
        looked = true;
        for (int poll = 0; poll < POLLS_BEFORE_PARKING && tail == last; poll++) {
          Thread.onSpinWait();
        }
      }
    }
    for (Delivery delivery : batch) {
      ((MemoryDelivery) delivery).copyForReceiver();
    }
    return batch;
  }

  /** Waits until something may have changed, at most so long. */
  private void park(MemoryReceiver receiver, long timeoutNanos) throws InterruptedException {
    // No claim made from now on expires within a claim period, so there is no need to look sooner.
    long untilExpiry = broker.claimPeriodNanos();
    if (oldestClaim != null) {
      untilExpiry = Math.min(untilExpiry, oldestClaim.expiresAtNanos - broker.nanoTime());
    }
    if (receiver.inFlight >= broker.mostInFlight()) {
      broker.await(claimEnded, Math.min(timeoutNanos, untilExpiry));
      return;
    }
    parkedReceivers++;
    try {
      if (tail == head) {
        broker.await(arrived, Math.min(timeoutNanos, untilExpiry));
      }
    } finally {
      parkedReceivers--;
    }
  }

  /** One signal wakes one receiver; if it leaves something behind, that is for the next. */
  private void passOn() {
    if (parkedReceivers > 0
        && (!returned.isEmpty() || taken < head.messages.length || tail != head)) {
      arrived.signal();
    }
  }

  private void take(MemoryReceiver receiver, int max, long now, List<Delivery> batch) {
    expireClaims(now);
    int most = Math.min(max, broker.mostInFlight() - receiver.inFlight);
    long expiresAtNanos = now + broker.claimPeriodNanos();
    MemoryDelivery newest = newestClaim;
    int count = 0;
    for (; count < most; count++) {
      MemoryDelivery next = returned.isEmpty() ? takeFromInbox() : returned.poll();
      if (next == null) {
        break;
      }
      next.receiver = receiver;
      next.expiresAtNanos = expiresAtNanos;
      newest = link(next, newest);
      batch.add(next);
    }
    newestClaim = newest;
    receiver.inFlight += count;
  }

  /** Makes a claim the newest. */
  private MemoryDelivery link(MemoryDelivery claimed, @Nullable MemoryDelivery newest) {
    claimed.earlier = newest;
    if (newest == null) {
      oldestClaim = claimed;
    } else {
      newest.later = claimed;
    }
    return claimed;
  }

  @SuppressWarnings("ThreadPriorityCheck") // the sender to wait for may need this very core
  private @Nullable MemoryDelivery takeFromInbox() {
    while (taken == head.messages.length) {
      Batch next = (Batch) NEXT.getAcquire(head);
      if (next == null) {
        if (tail == head) {
          return null;
        }
        // A sender has swapped the tail and is about to link it.
        while ((next = (Batch) NEXT.getAcquire(head)) == null) {
          Thread.yield();
        }
      }
      head.next = null; // else an old batch would keep all later ones alive
      head = next;
      taken = 0;
    }
    MemoryDelivery message = Objects.requireNonNull(head.messages[taken]);
    head.messages[taken++] = null; // else it would stay as long as the rest of its batch
    message.position = positions++;
    return message;
  }

  /**
   * Settles those whose claims are open.
   *
   * @return how many of them are not settled, as their claims had ended before
   */
  int ack(Collection<? extends Delivery> deliveries) {
    int late = 0;
    int acked = 0;
    lock.lock();
    try {
      requireNotDeleted();
      expireClaims(broker.nanoTime());
      for (Delivery delivery : deliveries) {
        MemoryDelivery claimed = (MemoryDelivery) delivery;
        switch (claimed.claim) {
          case OPEN -> {
            end(claimed, MemoryDelivery.Claim.ACKED);
            acked++;
          }
          case ACKED -> {}
          case RELEASED, ENDED -> late++;
        }
      }
      remove(acked);
    } finally {
      lock.unlock();
    }
    return late;
  }

  /** For each delivery whether it is settled, or else the other outcome. */
  List<Outcome> outcomes(Collection<? extends Delivery> deliveries, Outcome ofOthers) {
    List<Outcome> outcomes = new ArrayList<>(deliveries.size());
    lock.lock();
    try {
      for (Delivery delivery : deliveries) {
        boolean acked = ((MemoryDelivery) delivery).claim == MemoryDelivery.Claim.ACKED;
        outcomes.add(acked ? Outcome.CONFIRMED : ofOthers);
      }
    } finally {
      lock.unlock();
    }
    return outcomes;
  }

  /** Puts back the messages of those whose claims are open. */
  void release(Collection<? extends Delivery> deliveries) {
    lock.lock();
    try {
      requireNotDeleted();
      expireClaims(broker.nanoTime());
      for (Delivery delivery : deliveries) {
        MemoryDelivery claimed = (MemoryDelivery) delivery;
        if (claimed.claim == MemoryDelivery.Claim.OPEN) {
          putBack(claimed, MemoryDelivery.Claim.RELEASED);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts the periods of those whose claims are open anew.
   *
   * @return how many of them had lost their claims before, other than by an ack or a release
   */
  int extend(Collection<? extends Delivery> deliveries) {
    int late = 0;
    lock.lock();
    try {
      requireNotDeleted();
      long now = broker.nanoTime();
      expireClaims(now);
      for (Delivery delivery : deliveries) {
        MemoryDelivery claimed = (MemoryDelivery) delivery;
        switch (claimed.claim) {
          case OPEN -> {
            unlink(claimed); // the list is in the order of expiry
            claimed.expiresAtNanos = now + broker.claimPeriodNanos();
            newestClaim = link(claimed, newestClaim);
          }
          case ACKED, RELEASED -> {}
          case ENDED -> late++;
        }
      }
    } finally {
      lock.unlock();
    }
    return late;
  }

  private void remove(int count) {
    removed += count;
    if (parkedSenders > 0 && hasRoom(Math.max(1, broker.capacity() / 8))) {
      room.signalAll();
    }
  }

  /** Ends the claims of one receiver, or of all if null, and puts their messages back. */
  void giveBack(@Nullable MemoryReceiver receiver) {
    lock.lock();
    try {
      MemoryDelivery claimed = oldestClaim;
      while (claimed != null) {
        MemoryDelivery later = claimed.later;
        if (receiver == null || claimed.receiver == receiver) {
          putBack(claimed, MemoryDelivery.Claim.ENDED);
        }
        claimed = later;
      }
    } finally {
      lock.unlock();
    }
  }

  private void expireClaims(long now) {
    MemoryDelivery claimed = oldestClaim;
    while (claimed != null && claimed.expiresAtNanos - now <= 0) {
      MemoryDelivery later = claimed.later;
      putBack(claimed, MemoryDelivery.Claim.ENDED);
      claimed = later;
    }
  }

  private void putBack(MemoryDelivery claimed, MemoryDelivery.Claim how) {
    end(claimed, how);
    returned.add(claimed.again());
    arrived.signalAll();
    claimEnded.signalAll();
  }

  private void end(MemoryDelivery claimed, MemoryDelivery.Claim how) {
    claimed.claim = how;
    unlink(claimed);
    if (claimed.receiver != null) {
      claimed.receiver.inFlight--;
    }
  }

  private void unlink(MemoryDelivery claimed) {
    MemoryDelivery earlier = claimed.earlier;
    MemoryDelivery later = claimed.later;
    if (earlier == null) {
      oldestClaim = later;
    } else {
      earlier.later = later;
    }
    if (later == null) {
      newestClaim = earlier;
    } else {
      later.earlier = earlier;
    }
    claimed.earlier = null;
    claimed.later = null;
  }

  void delete() {
    deleted = true;
    wakeAll();
  }

  /** Lets every waiting call look again: time has moved, or the broker's state has changed. */
  void wakeAll() {
    lock.lock();
    try {
      arrived.signalAll();
      claimEnded.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void requireNotDeleted() {
    if (deleted) {
      throw new MqException("queue " + name + " of " + broker.endpoint() + " was deleted");
    }
  }

  /** What one send appended. Linked by its sender, then guarded by the queue's lock. */
  private static final class Batch {

    final @Nullable MemoryDelivery[] messages;

    @SuppressWarnings("unused") // read and linked through NEXT
    @Nullable Batch next;

    Batch(@Nullable MemoryDelivery[] messages) {
      this.messages = messages;
    }
  }
}
