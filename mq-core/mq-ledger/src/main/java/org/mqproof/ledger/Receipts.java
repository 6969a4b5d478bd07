package org.mqproof.ledger;

import java.util.concurrent.atomic.AtomicLong;

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

  /**
   * Records a run of deliveries to one receiver.
   *
   * @param from the first sequence number
   * @param to one past the last
   * @param later the highest sequence number of the sender that this receiver got before, or -1
   */
  synchronized void delivered(long from, long to, long later) {
    deliveredAfterAck += acked.count(from, to);
    long turned = Math.max(from, Math.min(to, later));
    reordered += delivered.add(from, turned, deliveredAgain);
    delivered.add(turned, to, deliveredAgain);
    deliveredCount.lazySet(delivered.size());
  }

  synchronized void acked(long from, long to) {
    acked.add(from, to, null);
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
