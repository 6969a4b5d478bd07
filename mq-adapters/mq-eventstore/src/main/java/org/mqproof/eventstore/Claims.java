package org.mqproof.eventstore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Deliveries;
import org.mqproof.support.Rounds;

/**
 * What one subscription was handed and has not settled, and the acks on their way.
 *
 * <p>The server answers no ack. But it tells, when it is asked, how many deliveries of this
 * subscription are settled, by an ack or by the end of the claim. An ack has been handled when that
 * number is at least the number of acks sent up to then and of claims that have ended by our clock,
 * which is ahead of the server's by {@code margin}.
 *
 * <p>The server takes an ack for a message from whoever sends it, also when the message is another
 * receiver's by now. So an ack whose claim may have ended is never sent.
 *
 * <p>Thread-safe: the connection's thread hands over what arrives and what the server tells, the
 * receiver's takes and acks.
 */
final class Claims {

  /** Acks that are asked about together. Guarded by the lock of its claims. */
  static final class Round {

    private final List<EventStoreDelivery> deliveries = new ArrayList<>();
    private final List<EventStoreDelivery> stale = new ArrayList<>();
    private final List<Ack> acks = new ArrayList<>();
    private int written;
    private long upTo;

    private Round() {}

    private boolean isEmpty() {
      return deliveries.isEmpty() && stale.isEmpty() && acks.isEmpty();
    }
  }

  /** One call of ack, and the caller's future. */
  private record Ack(List<EventStoreDelivery> deliveries, CompletableFuture<Void> future) {

    Ack(List<EventStoreDelivery> deliveries) {
      this(deliveries, new CompletableFuture<>());
    }

    /** By what has become of each delivery. */
    void complete(@Nullable MqException cause) {
      List<Outcome> outcomes =
          deliveries.stream().map(delivery -> delivery.state().outcome()).toList();
      if (outcomes.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
        future.complete(null);
        return;
      }
      String reason =
          cause == null
              ? "EventStore: a claim had ended before its ack, and the message may come again"
              : String.valueOf(cause.getMessage());
      future.completeExceptionally(new AckFailedException(reason, outcomes, cause));
    }
  }

  /** Tells the server, without waiting. */
  interface Writer {

    /** These are done. */
    void ack(List<EventStoreDelivery> deliveries);

    /** These are for others. */
    void giveBack(List<EventStoreDelivery> deliveries);
  }

  /** No subscription has this number: they count from 1. */
  private static final int ANY = 0;

  private final int ackBatch;
  private final long lifeNanos;
  private final long freshNanos;
  private final long marginNanos;
  private final LongSupplier clock;
  private final Writer writer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition idle = lock.newCondition();
  // Guarded by lock.
  private final ArrayDeque<EventStoreDelivery> buffered = new ArrayDeque<>();
  private final Set<EventStoreDelivery> claimed = new LinkedHashSet<>(); // the oldest first
  private final Rounds<Round> rounds = new Rounds<>(Round::new);
  private long acked;
  private long expired;
  private int generation;
  private boolean receiving;
  private boolean ownerLate; // let a claim end, and has not received since
  private long lapseNanos;
  private boolean lapsed;
  private boolean closed;
  private @Nullable MqException failure;

  /**
   * For one subscription, before it begins.
   *
   * @param ackBatch most acks in one request
   * @param lifeNanos from a message's arrival until its claim counts as ended here
   * @param freshNanos that a claim lasts at least from the moment when its message is handed out
   * @param marginNanos from its end here until it has ended at the server too
   * @param clock nanoseconds, as {@link System#nanoTime()}
   */
  Claims(
      int ackBatch,
      long lifeNanos,
      long freshNanos,
      long marginNanos,
      LongSupplier clock,
      Writer writer) {
    this.ackBatch = ackBatch;
    this.lifeNanos = lifeNanos;
    this.freshNanos = freshNanos;
    this.marginNanos = marginNanos;
    this.clock = clock;
    this.writer = writer;
  }

  /**
   * A new subscription is to begin.
   *
   * @return by what its calls are told from those of an earlier one
   */
  int begin() {
    lock.lock();
    try {
      acked = 0;
      expired = 0;
      lapsed = false;
      return ++generation;
    } finally {
      lock.unlock();
    }
  }

  // For the connection's thread.

  /** A message arrived. */
  void arrived(int subscription, EventId id, byte[] body) {
    lock.lock();
    try {
      if (subscription != generation || lapsed || closed || failure != null) {
        return; // goes back to the queue when the subscription ends
      }
      EventStoreDelivery delivery =
          new EventStoreDelivery(this, id, body, clock.getAsLong() + lifeNanos);
      claimed.add(delivery);
      buffered.add(delivery);
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Something arrived that is no message, and is acked without being delivered. */
  void arrivedEmpty(int subscription, EventId id) {
    lock.lock();
    try {
      if (subscription != generation || lapsed || closed || failure != null) {
        return;
      }
      EventStoreDelivery marker =
          new EventStoreDelivery(this, id, new byte[0], clock.getAsLong() + lifeNanos);
      marker.become(EventStoreDelivery.State.ACKED);
      rounds.gathering().deliveries.add(marker);
    } finally {
      lock.unlock();
    }
  }

  /** The subscription has ended, which is a failure of the current one. */
  void ended(int subscription, MqException cause) {
    fail(subscription, cause);
  }

  /** The subscription is gone, and with it every claim; the first failure counts. */
  void fail(MqException cause) {
    fail(ANY, cause);
  }

  private void fail(int subscription, MqException cause) {
    List<Ack> failed = new ArrayList<>();
    lock.lock();
    try {
      if (failure != null || (subscription != ANY && (subscription != generation || lapsed))) {
        return;
      }
      failure = cause;
      buffered.clear();
      claimed.clear();
      rounds.abandon().forEach(round -> failed.addAll(round.acks));
      arrived.signalAll();
      idle.signalAll();
    } finally {
      lock.unlock();
    }
    failed.forEach(ack -> ack.complete(cause));
  }

  /**
   * The server told how many of this subscription's deliveries are settled.
   *
   * @return whether the round has ended; if not, the server has not handled all of its acks yet
   */
  boolean settled(Round round, long count) {
    lock.lock();
    try {
      if (!rounds.isUnderWay(round)) {
        return true; // failed meanwhile
      }
      endOldClaims();
      if (count < round.upTo + expired) {
        return false;
      }
      rounds.end();
      round.deliveries.forEach(delivery -> delivery.become(EventStoreDelivery.State.SETTLED));
      idle.signalAll();
    } finally {
      lock.unlock();
    }
    round.acks.forEach(ack -> ack.complete(null));
    return true;
  }

  // For the thread that receives.

  /**
   * Gathers what arrived too long ago to be handed out, to be given back by {@link #nextRound}.
   *
   * @return whether there is any
   */
  boolean gatherStale() {
    lock.lock();
    try {
      endOldClaims();
      long now = clock.getAsLong();
      while (!buffered.isEmpty() && buffered.getFirst().expiresNanos() - now < freshNanos) {
        EventStoreDelivery old = buffered.removeFirst();
        claimed.remove(old);
        rounds.gathering().stale.add(old);
      }
      return !rounds.gathering().stale.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  List<Delivery> take(int max, long timeoutNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      receiving = true;
      ownerLate = false;
      return Deliveries.take(lock, arrived, timeoutNanos, () -> takeBuffered(max));
    } finally {
      receiving = false;
      lock.unlock();
    }
  }

  private List<Delivery> takeBuffered(int max) {
    requireOpen();
    if (failure != null) {
      throw new MqException(String.valueOf(failure.getMessage()), failure);
    }
    endOldClaims();
    int count = Math.min(max, buffered.size());
    List<Delivery> taken = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      taken.add(buffered.removeFirst());
    }
    return taken;
  }

  private void endOldClaims() {
    long now = clock.getAsLong();
    Iterator<EventStoreDelivery> oldest = claimed.iterator();
    while (oldest.hasNext()) {
      EventStoreDelivery delivery = oldest.next();
      if (delivery.expiresNanos() - now > 0) {
        break;
      }
      oldest.remove();
      delivery.become(EventStoreDelivery.State.EXPIRED);
      expired++;
      if (!ownerLate) {
        ownerLate = true;
        lapseNanos = delivery.expiresNanos() + marginNanos;
      }
    }
    while (!buffered.isEmpty() && buffered.getFirst().state() == EventStoreDelivery.State.EXPIRED) {
      buffered.removeFirst();
    }
  }

  /**
   * Whether this receiver is to leave its subscription: a claim has ended, the receiver was not
   * asked for messages since, and holds nothing else. The server would hand the same messages to it
   * again and again, and no other receiver would get them. Ends every claim if so.
   */
  boolean lapse() {
    lock.lock();
    try {
      endOldClaims();
      boolean idleNow = isIdle();
      boolean holdsNothing = claimed.size() == buffered.size();
      if (!ownerLate
          || receiving
          || closed
          || lapsed
          || failure != null
          || !idleNow
          || !holdsNothing
          || lapseNanos - clock.getAsLong() > 0) {
        return false;
      }
      lapsed = true;
      claimed.forEach(delivery -> delivery.become(EventStoreDelivery.State.EXPIRED));
      claimed.clear();
      buffered.clear();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean isIdle() {
    return !rounds.isUnderWay() && rounds.gathering().isEmpty();
  }

  /** Whether {@link #lapse} has ended the subscription, and no new one was begun. */
  boolean hasLapsed() {
    lock.lock();
    try {
      return lapsed && !closed && failure == null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gathers acks; they are sent by {@link #nextRound}.
   *
   * @return completes when the server has handled them
   */
  CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    List<EventStoreDelivery> ours =
        Deliveries.own(deliveries, EventStoreDelivery.class, own -> own.owner() == this);
    Ack ack = new Ack(ours);
    MqException failed;
    lock.lock();
    try {
      requireOpen();
      endOldClaims();
      failed = failure;
      ours.forEach(this::gather);
      boolean any =
          ours.stream().anyMatch(delivery -> delivery.state() == EventStoreDelivery.State.ACKED);
      if (failed == null && any) {
        rounds.gathering().acks.add(ack);
        return ack.future();
      }
    } finally {
      lock.unlock();
    }
    ack.complete(failed);
    return ack.future();
  }

  private void gather(EventStoreDelivery delivery) {
    if (failure == null && delivery.state() == EventStoreDelivery.State.CLAIMED) {
      delivery.become(EventStoreDelivery.State.ACKED);
      claimed.remove(delivery);
      rounds.gathering().deliveries.add(delivery);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver is closed");
    }
  }

  /**
   * Sends the acks that were gathered, if no round is under way or if there are many.
   *
   * @return a round to ask the server about, or null
   */
  @Nullable Round nextRound() {
    lock.lock();
    try {
      Round round = rounds.gathering();
      return round.isEmpty() || failure != null
          ? null
          : rounds.next(round.deliveries.size() - round.written >= ackBatch, this::write);
    } finally {
      lock.unlock();
    }
  }

  private void write(Round round) {
    int size = round.deliveries.size();
    while (round.written < size) {
      int end = Math.min(size, round.written + ackBatch);
      writer.ack(round.deliveries.subList(round.written, end));
      acked += end - round.written;
      round.written = end;
    }
    giveBack(round.stale);
    round.stale.clear();
    round.upTo = acked;
  }

  /** The server counts them like acks. */
  private void giveBack(List<EventStoreDelivery> deliveries) {
    for (int start = 0; start < deliveries.size(); start += ackBatch) {
      writer.giveBack(deliveries.subList(start, Math.min(deliveries.size(), start + ackBatch)));
    }
    acked += deliveries.size();
  }

  /** Refuses further calls; acks that were given go on. */
  void close() {
    lock.lock();
    try {
      closed = true;
      buffered.clear();
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives back what is still claimed here, whether it was received or not. For the end, when every
   * ack was handled.
   *
   * @return a round to ask the server about, or null if there is nothing to give back
   */
  @Nullable Round giveBack() {
    lock.lock();
    try {
      endOldClaims();
      if (failure != null || rounds.isUnderWay() || claimed.isEmpty()) {
        return null;
      }
      Round round = new Round();
      round.deliveries.addAll(claimed);
      claimed.clear();
      giveBack(round.deliveries);
      round.upTo = acked;
      rounds.begin(round);
      return round;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until every ack was handled or has failed.
   *
   * @return whether that came before the deadline, and the subscription is not lost
   */
  boolean awaitIdle(long deadlineNanos) {
    lock.lock();
    try {
      boolean ended = BoundedWaits.await(idle, () -> failure != null || isIdle(), deadlineNanos);
      return ended && failure == null;
    } finally {
      lock.unlock();
    }
  }
}
