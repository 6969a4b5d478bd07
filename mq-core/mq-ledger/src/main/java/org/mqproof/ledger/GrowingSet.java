package org.mqproof.ledger;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A {@link DenseSet} whose end grows without a lock. A run that begins where the last one ended, as
 * nearly all do, takes one compare-and-set; everything else is for a thread that holds the lock of
 * the set's owner and has stopped the growth.
 */
final class GrowingSet {

  private static final long STOPPED = -1;

  /** Has all but what was appended since the growth was last resumed. */
  private final DenseSet set = new DenseSet();

  /** One past the highest number while the set may grow. */
  private final AtomicLong end = new AtomicLong();

  /** Numbers below the end that are not in the set; written only while the growth is stopped. */
  private volatile long gaps;

  /**
   * Adds every number from {@code from} to below {@code to}, if the set may grow and ends at {@code
   * from}.
   *
   * @return whether they were added
   */
  boolean append(long from, long to) {
    return end.compareAndSet(from, to);
  }

  /** One past the highest number; negative while the growth is stopped. */
  long end() {
    return end.get();
  }

  /** Whether all numbers below {@code to} are in the set; false also if the growth is stopped. */
  boolean hasAllBelow(long to) {
    return to <= end.get() && gaps == 0;
  }

  /** How many numbers are in the set; negative while the growth is stopped. */
  long size() {
    while (true) {
      long before = end.get();
      long size = before - gaps; // of one moment if the end is the same: gaps change while stopped
      if (before == end.get()) {
        return before == STOPPED ? STOPPED : size;
      }
    }
  }

  // Only for a thread that holds the owner's lock.

  /** Stops the growth, if it was not stopped before, and returns all that is in the set. */
  DenseSet stop() {
    if (end.get() != STOPPED) {
      set.add(set.end(), end.getAndSet(STOPPED), null);
    }
    return set;
  }

  /** Lets the set grow again; what {@link #stop} returned is not to be changed any more. */
  void resume() {
    if (end.get() == STOPPED) {
      gaps = set.end() - set.size();
      end.setRelease(set.end());
    }
  }
}
