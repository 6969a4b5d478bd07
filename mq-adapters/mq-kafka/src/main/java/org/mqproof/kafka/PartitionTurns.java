package org.mqproof.kafka;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Lets all senders of one queue write to the same partition for a few milliseconds, then to the
 * next. What many threads send in that time travels in one record batch and is stored with one
 * write, where a partition for each batch would make a request of each. Thread-safe.
 */
final class PartitionTurns {

  /**
   * Some round trips with acks=all. Shorter turns split what could go together; longer ones leave a
   * group's other receivers without work for longer.
   */
  static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final int partitions;
  private final LongSupplier nanoTime;
  private final long origin;
  // Counts turns; a turn ends at the first batch after its time, so that each rare batch has its
  // own.
  private final AtomicLong turn;
  private volatile long turnEndsNanos;

  PartitionTurns(int partitions, LongSupplier nanoTime) {
    this.partitions = partitions;
    this.nanoTime = nanoTime;
    origin = nanoTime.getAsLong();
    turn = new AtomicLong(Math.floorMod(origin, (long) partitions));
    turnEndsNanos = TURN_NANOS;
  }

  /** The partition for the next batch. */
  int next() {
    long now = nanoTime.getAsLong() - origin;
    long ends = turnEndsNanos;
    long current = turn.get();
    if (now >= ends && turn.compareAndSet(current, current + 1)) {
      turnEndsNanos = now + TURN_NANOS;
    }
    return (int) (turn.get() % partitions);
  }
}
