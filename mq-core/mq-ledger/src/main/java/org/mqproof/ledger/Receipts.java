package org.mqproof.ledger;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What all receivers got and acked of one sender's messages. Thread-safe: one lock, held for a few
 * instructions a batch, so that a duplicate is found whichever receiver gets it.
 */
final class Receipts {

  private final DenseSet delivered = new DenseSet();
  private final SparseSet deliveredAgain = new SparseSet();
  private final DenseSet acked = new DenseSet();
  private long reordered;
  private long deliveredAfterAck;

  /** Written under the lock, read without it. */
  private final AtomicLong deliveredCount = new AtomicLong();

  /** Appended to under the lock, so that the history has the order of the sets. */
  private final @Nullable Track track;

  Receipts(@Nullable Track track) {
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
    long later = highest;
    for (int i = 0; i < used; i += 2) {
      long from = bounds[i];
      long to = bounds[i + 1];
      deliveredAfterAck += acked.count(from, to);
      long turned = Math.max(from, Math.min(to, later));
      reordered += delivered.add(from, turned, deliveredAgain);
      delivered.add(turned, to, deliveredAgain);
      later = Math.max(later, to - 1);
    }
    deliveredCount.lazySet(delivered.size());
    write(HistoryFormat.DELIVERED, receiver, bounds, used);
    return later;
  }

  synchronized void acked(int receiver, long[] bounds, int used) {
    for (int i = 0; i < used; i += 2) {
      acked.add(bounds[i], bounds[i + 1], null);
    }
    write(HistoryFormat.ACKED, receiver, bounds, used);
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
    return delivered.sizeInBytes() + deliveredAgain.sizeInBytes() + acked.sizeInBytes();
  }

  // Only for a caller that holds the lock of this object, for as long as it uses the result.

  DenseSet delivered() {
    return delivered;
  }

  SparseSet deliveredAgain() {
    return deliveredAgain;
  }

  DenseSet acked() {
    return acked;
  }

  long reordered() {
    return reordered;
  }

  long deliveredAfterAck() {
    return deliveredAfterAck;
  }
}
