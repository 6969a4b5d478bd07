package org.mqproof.ledger;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all receivers got and acked of one sender's messages. Thread-safe: one lock, held for a few
 * instructions a batch, so that a duplicate is found whichever receiver gets it.
 */
final class Receipts {

  /** The receiver that is alone until a second one is opened. */
  private static final int FIRST_RECEIVER = 0;

  /** Until a second receiver is opened. */
  private static final long STILL_ALONE = -1;

  private final DenseSet delivered = new DenseSet();
  private final SparseSet deliveredAgain = new SparseSet();

  /** Given to ack, by any receiver, after any delivery. */
  private final DenseSet given = new DenseSet();

  private final DenseSet acked = new DenseSet();
  private final SparseSet ackFailed = new SparseSet();

  /** Delivered again after they were given to ack, and not given to ack since. */
  private final SparseSet owedAgain = new SparseSet();

  private final SparseSet deliveredAfterAck = new SparseSet();

  /** First delivered to a receiver that already had a later one; empty where no order is judged. */
  private final DenseSet late = new DenseSet();

  /** First delivered to another receiver though the first one, still alone, had a later one. */
  private final DenseSet skipped = new DenseSet();

  /** One past the position of the first receiver when a second one was opened. */
  private long aloneUpTo = STILL_ALONE;

  private long reordered;
  private long deliveriesAfterAck;
  private long deliveriesAhead;
  private long deliveriesBehind;

  /** Written under the lock, read without it. */
  private final AtomicLong deliveredCount = new AtomicLong();

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
  synchronized long delivered(int receiver, long[] bounds, int used, long highest) {
    if (receiver != FIRST_RECEIVER && aloneUpTo == STILL_ALONE) {
      aloneUpTo = 0; // it is not known since when
    }
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
      long firstBehind = delivered.add(from, turned, deliveredAgain);
      reordered += firstBehind;
      long behind = turned - from - firstBehind;
      long ahead = to - turned - delivered.add(turned, to, deliveredAgain);
      if (behind + ahead > 0) {
        deliveriesBehind += behind;
        deliveriesAhead += ahead;
        owe(from, to);
      }
      long afterAck = acked.count(from, to);
      if (afterAck > 0) {
        deliveriesAfterAck += afterAck;
        addCommon(from, to, acked, deliveredAfterAck);
      }
      later = Math.max(later, to - 1);
    }
    deliveredCount.lazySet(delivered.size());
    write(HistoryFormat.DELIVERED, receiver, bounds, used);
    return later;
  }

  /** Adds what is delivered for the first time; called before that is recorded. */
  private void addNew(long from, long to, DenseSet set) {
    if (from < to && delivered.count(from, to) == 0) {
      set.add(from, to, null);
      return;
    }
    for (long number = from; number < to; number++) {
      if (delivered.count(number, number + 1) == 0) {
        set.add(number, number + 1, null);
      }
    }
  }

  /** Of what came again, what was given to ack before is to be given once more. */
  private void owe(long from, long to) {
    for (long number = from; number < to; number++) {
      if (deliveredAgain.contains(number)
          && given.count(number, number + 1) + acked.count(number, number + 1) > 0) {
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

  synchronized void givenToAck(int receiver, long[] bounds, int used) {
    for (int i = 0; i < used; i += 2) {
      given.add(bounds[i], bounds[i + 1], null);
      if (!owedAgain.isEmpty()) {
        owedAgain.remove(bounds[i], bounds[i + 1]);
      }
    }
    write(HistoryFormat.GIVEN, receiver, bounds, used);
  }

  synchronized void acked(int receiver, long[] bounds, int used) {
    for (int i = 0; i < used; i += 2) {
      acked.add(bounds[i], bounds[i + 1], null);
    }
    write(HistoryFormat.ACKED, receiver, bounds, used);
  }

  synchronized void ackFailed(int receiver, long[] bounds, int used) {
    for (int i = 0; i < used; i += 2) {
      ackFailed.add(bounds[i], bounds[i + 1]);
    }
    write(HistoryFormat.ACK_FAILED, receiver, bounds, used);
  }

  /** From now on the first receiver is not the only one. */
  synchronized void shared() {
    if (aloneUpTo == STILL_ALONE) {
      aloneUpTo = delivered.end();
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
    return deliveredCount.get();
  }

  synchronized long sizeInBytes() {
    return delivered.sizeInBytes()
        + deliveredAgain.sizeInBytes()
        + given.sizeInBytes()
        + acked.sizeInBytes()
        + ackFailed.sizeInBytes()
        + owedAgain.sizeInBytes()
        + deliveredAfterAck.sizeInBytes()
        + late.sizeInBytes()
        + skipped.sizeInBytes();
  }

  // Only for a caller that holds the lock of this object, for as long as it uses the result.

  DenseSet delivered() {
    return delivered;
  }

  /** Copies one block of every set into a tally's block. */
  void copyTo(Tally.Block block) {
    int number = block.number;
    block.delivered = delivered.copyOf(number);
    block.deliveredAgain = deliveredAgain.copyOf(number);
    block.given = given.copyOf(number);
    block.acked = acked.copyOf(number);
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
