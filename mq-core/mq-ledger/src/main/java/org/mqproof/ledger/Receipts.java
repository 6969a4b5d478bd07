package org.mqproof.ledger;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all receivers got and acked of one sender's messages. Thread-safe, with one lock, so that a
 * duplicate is found whichever receiver gets it. What continues a set in order takes no lock.
 */
final class Receipts {

  /** The receiver that is alone until a second one is opened. */
  private static final int FIRST_RECEIVER = 0;

  /** Until a second receiver is opened. */
  private static final long STILL_ALONE = -1;

  private final GrowingSet delivered = new GrowingSet();
  private final SparseSet deliveredAgain = new SparseSet();

  /** Given to ack, by any receiver, after any delivery. */
  private final GrowingSet given = new GrowingSet();

  private final GrowingSet acked = new GrowingSet();
  private final SparseSet ackFailed = new SparseSet();

  /** Delivered again after they were given to ack, and not given to ack since. */
  private final SparseSet owedAgain = new SparseSet();

  private final SparseSet deliveredAfterAck = new SparseSet();

  /** First delivered to a receiver that already had a later one; empty where no order is judged. */
  private final DenseSet late = new DenseSet();

  /** First delivered to another receiver though the first one, still alone, had a later one. */
  private final DenseSet skipped = new DenseSet();

  /** One past the position of the first receiver when a second one was opened. */
  private volatile long aloneUpTo = STILL_ALONE;

  private long reordered;
  private long deliveriesAfterAck;
  private long deliveriesAhead;
  private long deliveriesBehind;

  /** Appended to under the lock, so that the history has the order of the sets. */
  private final @Nullable Track track;

  /** Whether the order is judged: it costs a bit per message, and a little time, to know which. */
  private final BooleanSupplier ordered;

  Receipts(BooleanSupplier ordered, @Nullable Track track) {
    this.ordered = ordered;
    this.track = track;
  }

  /**
   * Records deliveries to one receiver, as runs of sequence numbers in the order of their delivery.
   *
   * @param receiver the receiver's number
   * @param bounds for each run the first sequence number and one past the last
   * @param used how many of the bounds count
   * @param highest the highest sequence number of the sender that this receiver got before, or -1
   * @return the highest that it has now
   */
  long delivered(int receiver, long[] bounds, int used, long highest) {
    boolean alone = receiver == FIRST_RECEIVER || aloneUpTo != STILL_ALONE;
    if (used == 2 && alone && track == null && delivered.append(bounds[0], bounds[1])) {
      return bounds[1] - 1; // never delivered before, nor acked: nothing else is to be found
    }
    return lockAndDeliver(receiver, bounds, used, highest);
  }

  private synchronized long lockAndDeliver(int receiver, long[] bounds, int used, long highest) {
    if (receiver != FIRST_RECEIVER && aloneUpTo == STILL_ALONE) {
      aloneUpTo = 0; // it is not known since when
    }
    DenseSet before = delivered.stop();
    DenseSet settled = acked.stop();
    boolean judged = ordered.getAsBoolean();
    long later = highest;
    for (int i = 0; i < used; i += 2) {
      long from = bounds[i];
      long to = bounds[i + 1];
      if (judged && receiver != FIRST_RECEIVER && from < aloneUpTo) {
        addNew(from, Math.min(to, aloneUpTo), skipped);
      }
      long turned = Math.max(from, Math.min(to, later + 1));
      if (judged) {
        addNew(from, turned, late);
      }
      long firstBehind = before.add(from, turned, deliveredAgain);
      reordered += firstBehind;
      long behind = turned - from - firstBehind;
      long ahead = to - turned - before.add(turned, to, deliveredAgain);
      if (behind + ahead > 0) {
        deliveriesBehind += behind;
        deliveriesAhead += ahead;
        owe(from, to);
      }
      long afterAck = settled.count(from, to);
      if (afterAck > 0) {
        deliveriesAfterAck += afterAck;
        addCommon(from, to, settled, deliveredAfterAck);
      }
      later = Math.max(later, to - 1);
    }
    resume();
    write(HistoryFormat.DELIVERED, receiver, bounds, used);
    return later;
  }

  /** Adds what is delivered for the first time; called before that is recorded. */
  private void addNew(long from, long to, DenseSet set) {
    DenseSet before = delivered.stop();
    if (from < to && before.count(from, to) == 0) {
      set.add(from, to, null);
      return;
    }
    for (long number = from; number < to; number++) {
      if (before.count(number, number + 1) == 0) {
        set.add(number, number + 1, null);
      }
    }
  }

  /** Of what came again, what was given to ack before is to be given once more. */
  private void owe(long from, long to) {
    DenseSet settled = acked.stop();
    DenseSet settling = given.stop();
    for (long number = from; number < to; number++) {
      if (deliveredAgain.contains(number)
          && settling.count(number, number + 1) + settled.count(number, number + 1) > 0) {
        owedAgain.add(number, number + 1);
      }
    }
  }

  private static void addCommon(long from, long to, DenseSet set, SparseSet common) {
    for (long number = from; number < to; number++) {
      if (set.count(number, number + 1) > 0) {
        common.add(number, number + 1);
      }
    }
  }

  /** Records a run that continues what was recorded of this kind; false if it needs the lock. */
  boolean settledInOrder(int kind, long from, long to) {
    return track == null
        && switch (kind) {
          case HistoryFormat.GIVEN -> given.append(from, to);
          case HistoryFormat.ACKED -> to <= delivered.end() && acked.append(from, to);
          default -> false;
        };
  }

  /**
   * Records runs that were given to ack, or whose ack completed or failed.
   *
   * @param kind which of these, of {@link HistoryFormat}
   */
  void settle(int kind, int receiver, long[] bounds, int used) {
    if (used == 2 && settledInOrder(kind, bounds[0], bounds[1])) {
      return;
    }
    synchronized (this) {
      for (int i = 0; i < used; i += 2) {
        settle(kind, bounds[i], bounds[i + 1]);
      }
      resume();
      write(kind, receiver, bounds, used);
    }
  }

  private void settle(int kind, long from, long to) {
    switch (kind) {
      case HistoryFormat.GIVEN -> {
        given.stop().add(from, to, null);
        if (!owedAgain.isEmpty()) {
          owedAgain.remove(from, to);
        }
      }
      case HistoryFormat.ACKED -> acked.stop().add(from, to, null);
      case HistoryFormat.ACK_FAILED -> ackFailed.add(from, to);
      default -> throw new IllegalArgumentException("acks have no kind " + kind);
    }
  }

  /** From now on the first receiver is not the only one. */
  synchronized void shared() {
    if (aloneUpTo == STILL_ALONE) {
      aloneUpTo = delivered.stop().end();
      resume();
      Track history = track;
      if (history != null) {
        history.shared();
      }
    }
  }

  private void write(int kind, int receiver, long[] bounds, int used) {
    Track history = track;
    if (history != null) {
      history.received(kind, receiver, bounds, used);
    }
  }

  /** Messages delivered at least once. */
  long deliveredCount() {
    long count = delivered.size();
    if (count < 0) {
      synchronized (this) {
        count = stop().size();
        resume();
      }
    }
    return count;
  }

  synchronized long sizeInBytes() {
    long inOrder = stop().sizeInBytes() + given.stop().sizeInBytes() + acked.stop().sizeInBytes();
    resume();
    return inOrder
        + deliveredAgain.sizeInBytes()
        + ackFailed.sizeInBytes()
        + owedAgain.sizeInBytes()
        + deliveredAfterAck.sizeInBytes()
        + late.sizeInBytes()
        + skipped.sizeInBytes();
  }

  // Only for a caller that holds the lock of this object.

  /** Lets nobody record anything without the lock, and returns what was delivered. */
  DenseSet stop() {
    acked.stop();
    given.stop();
    return delivered.stop();
  }

  /**
   * Lets what continues a set in order be recorded without the lock. Not deliveries while an ack is
   * ahead of them, nor what is given to ack while a message is to be given once more.
   */
  void resume() {
    long settled = acked.stop().end();
    if (settled > delivered.end() && settled <= delivered.stop().end()) {
      delivered.resume();
    }
    acked.resume();
    if (owedAgain.isEmpty()) {
      given.resume();
    }
  }

  /** Copies one block of every set into a tally's block. */
  void copyTo(Tally.Block block) {
    int number = block.number;
    block.delivered = delivered.stop().copyOf(number);
    block.deliveredAgain = deliveredAgain.copyOf(number);
    block.given = given.stop().copyOf(number);
    block.acked = acked.stop().copyOf(number);
    block.ackFailed = ackFailed.copyOf(number);
    block.owedAgain = owedAgain.copyOf(number);
    block.deliveredAfterAck = deliveredAfterAck.copyOf(number);
    block.late = late.copyOf(number);
    block.skipped = skipped.copyOf(number);
  }

  void addCountsTo(Tally tally) {
    tally.addCounts(reordered, deliveriesAfterAck, deliveriesAhead, deliveriesBehind);
  }
}
