package org.mqproof.rabbitmq;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Deliveries;
import org.mqproof.support.Rounds;

/**
 * What the broker has handed to one channel: messages that wait to be received, those that are not
 * acked, and acks that wait for an answer. Here the thread that reads from the broker and the
 * thread that receives meet.
 *
 * <p>AMQP 0-9-1 does not answer an ack. But a channel handles what it is sent in order, and so its
 * answer to a request that was sent after acks shows that it has handled those. Acks go in rounds:
 * while one is under way, further acks gather for the next. What the broker's channel has passed on
 * to the queue stays settled when the channel closes; only the failure of the queue's own node, or
 * of the one that was connected to, can undo it.
 *
 * <p>What is released is handed out here again, under its tag. The broker would push it to any
 * consumer that has room, mostly to this one, where it would wait hidden from the others.
 *
 * <p>Thread-safe, by one lock. Futures are completed outside of it.
 */
final class Claims {

  /** Writes acks; called with the lock held, so that acks leave in the order they were made. */
  @FunctionalInterface
  interface AckWriter {

    /** Acks one delivery, or it and all unacked ones before it. */
    void ack(long tag, boolean multiple);
  }

  /** Acks that one answer of the broker settles. */
  static final class Round {

    private final List<RabbitDelivery> deliveries = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private int written;
  }

  /** One call of {@code ack}. The future is the user's own: nothing here reads it. */
  private record Call(CompletableFuture<Void> future, List<RabbitDelivery> acked) {

    private void complete(@Nullable MqException cause) {
      if (cause == null) {
        future.complete(null);
      } else {
        future.completeExceptionally(cause);
      }
    }
  }

  /** How a call ends. */
  private record Ending(Call call, @Nullable MqException cause) {

    private void complete() {
      call.complete(cause);
    }
  }

  private final String where;
  private final int ackBatch;
  private final AckWriter writer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition idle = lock.newCondition();
  private final ArrayDeque<RabbitDelivery> buffered = new ArrayDeque<>();
  // Released, and not handed out again yet.
  private final TreeSet<RabbitDelivery> returned =
      new TreeSet<>(Comparator.comparingLong(RabbitDelivery::tag));
  // Unacked deliveries are linked in the order of their tags, and so an ack is O(1).
  private @Nullable RabbitDelivery oldest;
  private @Nullable RabbitDelivery newest;
  private final Rounds<Round> rounds = new Rounds<>(Round::new);
  private boolean closed;
  private @Nullable MqException failure;

  /**
   * For one channel, before it consumes.
   *
   * @param where endpoint and queue, the start of error messages
   * @param ackBatch acks that are written without waiting for the answer to earlier ones
   */
  Claims(String where, int ackBatch, AckWriter writer) {
    this.where = where;
    this.ackBatch = ackBatch;
    this.writer = writer;
  }

  // For the thread that reads.

  /** Takes over deliveries in the order of their tags. */
  void arrived(List<RabbitDelivery> deliveries) {
    lock.lock();
    try {
      if (closed || failure != null) {
        return; // goes back to the queue with the channel
      }
      deliveries.forEach(this::link);
      buffered.addAll(deliveries);
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  private void link(RabbitDelivery delivery) {
    delivery.before = newest;
    if (newest == null) {
      oldest = delivery;
    } else {
      newest.after = delivery;
    }
    newest = delivery;
  }

  /** The channel is gone, and with it every claim; the first failure counts. */
  void fail(MqException cause) {
    List<Ending> ended = new ArrayList<>();
    lock.lock();
    try {
      if (failure != null) {
        return;
      }
      failure = cause;
      buffered.clear();
      returned.clear();
      rounds.abandon().forEach(round -> end(round, cause, ended));
      arrived.signalAll();
      idle.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(Ending::complete);
  }

  private void end(Round round, @Nullable MqException cause, List<Ending> ended) {
    for (Call call : round.calls) {
      ended.add(new Ending(call, ackFailure(call.acked, cause)));
    }
  }

  /** Why an ack failed, or null if it did not. Called with the lock. */
  private @Nullable MqException ackFailure(
      List<RabbitDelivery> deliveries, @Nullable MqException cause) {
    if (deliveries.stream().allMatch(Claims::isSettled)) {
      return null;
    }
    String reason =
        cause == null
            ? where + ": a claim had ended before the ack arrived"
            : String.valueOf(cause.getMessage());
    return new AckFailedException(
        reason, deliveries.stream().map(Claims::outcomeOfAck).toList(), cause);
  }

  private static Outcome outcomeOfAck(RabbitDelivery delivery) {
    return switch (delivery.state()) {
      case SETTLED -> Outcome.CONFIRMED;
      case ACKED -> Outcome.UNKNOWN; // the channel failed before it answered
      case CLAIMED, RELEASED -> Outcome.REJECTED;
    };
  }

  /** The broker has answered, and so it has handled every ack of this round. */
  void answered(Round round) {
    List<Ending> ended = new ArrayList<>(round.calls.size());
    lock.lock();
    try {
      if (!rounds.isUnderWay(round)) {
        return; // failed meanwhile
      }
      rounds.end();
      round.deliveries.forEach(delivery -> delivery.become(RabbitDelivery.State.SETTLED));
      end(round, null, ended);
      idle.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(Ending::complete);
  }

  // For the thread that receives.

  List<Delivery> take(int max, long timeoutNanos) throws InterruptedException {
    return Deliveries.take(lock, arrived, timeoutNanos, () -> takeBuffered(max));
  }

  private List<Delivery> takeBuffered(int max) {
    requireOpen();
    if (failure != null) {
      throw new MqException(String.valueOf(failure.getMessage()), failure);
    }
    int count = Math.min(max, returned.size() + buffered.size());
    List<Delivery> taken = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      RabbitDelivery again = returned.pollFirst();
      taken.add(again == null ? buffered.removeFirst() : again);
    }
    return taken;
  }

  /**
   * Gathers acks; they are sent by {@link #nextRound}.
   *
   * @return completes when the broker has handled them, or with an {@link AckFailedException}
   */
  CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    List<RabbitDelivery> ours = ours(deliveries);
    Call call = new Call(new CompletableFuture<>(), ours);
    lock.lock();
    try {
      requireOpen();
      if (failure == null) {
        ours.forEach(this::gather);
        if (ours.stream().anyMatch(delivery -> delivery.state() == RabbitDelivery.State.ACKED)) {
          rounds.gathering().calls.add(call);
          return call.future;
        }
      }
      // Tags count per channel: on another channel this one would ack another message.
      call.complete(ackFailure(ours, failure));
    } finally {
      lock.unlock();
    }
    return call.future;
  }

  /** Gives back what is claimed and not acked, to be handed out before anything newer. */
  void release(Collection<? extends Delivery> deliveries) {
    List<RabbitDelivery> ours = ours(deliveries);
    lock.lock();
    try {
      requireOpen();
      for (RabbitDelivery delivery : ours) {
        if (failure == null && delivery.state() == RabbitDelivery.State.CLAIMED) {
          delivery.become(RabbitDelivery.State.RELEASED);
          RabbitDelivery again = delivery.again();
          replace(delivery, again);
          returned.add(again);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void replace(RabbitDelivery delivery, RabbitDelivery by) {
    by.before = delivery.before;
    by.after = delivery.after;
    if (by.before == null) {
      oldest = by;
    } else {
      by.before.after = by;
    }
    if (by.after == null) {
      newest = by;
    } else {
      by.after.before = by;
    }
    delivery.before = null;
    delivery.after = null;
  }

  /** A claim lasts as long as the channel, so there is nothing to extend. */
  void requireExtendable(Collection<? extends Delivery> deliveries) {
    List<RabbitDelivery> unused = ours(deliveries);
    lock.lock();
    try {
      requireOpen();
    } finally {
      lock.unlock();
    }
  }

  private List<RabbitDelivery> ours(Collection<? extends Delivery> deliveries) {
    return Deliveries.own(deliveries, RabbitDelivery.class, own -> own.owner() == this);
  }

  private static boolean isSettled(RabbitDelivery delivery) {
    return delivery.state() == RabbitDelivery.State.SETTLED;
  }

  private void gather(RabbitDelivery delivery) {
    if (delivery.state() == RabbitDelivery.State.CLAIMED) {
      delivery.become(RabbitDelivery.State.ACKED);
      unlink(delivery);
      rounds.gathering().deliveries.add(delivery);
    }
  }

  private void unlink(RabbitDelivery delivery) {
    if (delivery.before == null) {
      oldest = delivery.after;
    } else {
      delivery.before.after = delivery.after;
    }
    if (delivery.after == null) {
      newest = delivery.before;
    } else {
      delivery.after.before = delivery.before;
    }
    delivery.before = null;
    delivery.after = null;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver is closed");
    }
  }

  /**
   * Writes the acks that were gathered, if no round is under way or if there are many.
   *
   * @return a round to ask the broker's answer for, or null
   */
  @Nullable Round nextRound() {
    lock.lock();
    try {
      Round round = rounds.gathering();
      return round.calls.isEmpty()
          ? null
          : rounds.next(round.deliveries.size() - round.written >= ackBatch, this::write);
    } finally {
      lock.unlock();
    }
  }

  /**
   * All that are older than the oldest unacked delivery take one ack, named by the newest of them,
   * which is still known to the broker; the others take one each.
   */
  private void write(Round round) {
    List<RabbitDelivery> unwritten =
        round.deliveries.subList(round.written, round.deliveries.size());
    long oldestUnacked = oldest == null ? Long.MAX_VALUE : oldest.tag();
    long upTo = 0;
    int covered = 0;
    for (RabbitDelivery delivery : unwritten) {
      if (delivery.tag() < oldestUnacked) {
        upTo = Math.max(upTo, delivery.tag());
        covered++;
      }
    }
    if (covered > 0) {
      writer.ack(upTo, covered > 1);
    }
    if (covered < unwritten.size()) {
      for (RabbitDelivery delivery : unwritten) {
        if (delivery.tag() > oldestUnacked) {
          writer.ack(delivery.tag(), false);
        }
      }
    }
    round.written = round.deliveries.size();
  }

  /** Refuses further calls; acks that were given go on. */
  void close() {
    lock.lock();
    try {
      closed = true;
      buffered.clear();
      returned.clear();
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until every ack was answered or has failed.
   *
   * @return whether that came before the deadline, and the channel is not lost
   */
  boolean awaitIdle(long deadlineNanos) {
    lock.lock();
    try {
      boolean ended =
          BoundedWaits.await(
              idle,
              () -> failure != null || (!rounds.isUnderWay() && rounds.gathering().calls.isEmpty()),
              deadlineNanos);
      return ended && failure == null;
    } finally {
      lock.unlock();
    }
  }
}
