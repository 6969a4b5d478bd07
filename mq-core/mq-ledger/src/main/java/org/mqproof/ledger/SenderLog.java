package org.mqproof.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.roaringbitmap.RoaringBitmap;

/**
 * What one sender attempted and what became of it. Thread-safe; batches are stamped by one thread
 * at a time and may be confirmed by others.
 *
 * <p>A message may be sent more than once under the same sequence number. It then counts as
 * confirmed if any attempt was; as rejected if every attempt was; and else as unknown: an attempt
 * without an outcome may still arrive.
 */
public final class SenderLog {

  private final int run;
  private final int sender;
  private final Stamp stamp = new Stamp();
  private final Receipts receipts;

  /** Appended to under the lock, so that the history has the order of the sets. */
  private final @Nullable Track track;

  private final Object lock = new Object();
  private final GrowingSet attempted = new GrowingSet();
  private final GrowingSet confirmed = new GrowingSet();
  private final SparseSet rejected = new SparseSet();
  private final SparseSet saidUnknown = new SparseSet();

  /** Attempted more than once. */
  private final SparseSet reattempted = new SparseSet();

  /** Of those, how many attempts were not rejected so far: set n has those with more than n. */
  private final List<SparseSet> open = new ArrayList<>();

  /** Kept, so that an attempt allocates nothing. */
  private final SparseSet again = new SparseSet();

  /** Written under the lock, read without it. */
  private final AtomicLong rejectedCount = new AtomicLong();

  SenderLog(int run, int sender, BooleanSupplier ordered, @Nullable HistoryWriter history) {
    this.run = run;
    this.sender = sender;
    track = history == null ? null : history.sentBy(sender);
    receipts = new Receipts(ordered, history == null ? null : history.receivedFrom(sender));
  }

  /**
   * Writes the next sequence numbers into the bodies and records them as attempted. Allocates
   * nothing per message.
   *
   * @param batch messages with bodies of at least {@link Ledger#STAMP_BYTES}
   * @param sentAtNanos the time to stamp, in nanoseconds of a clock of the caller's choice
   * @return the sequence number of the first message; the others follow without a gap
   * @throws IllegalArgumentException if a body is too short; nothing was stamped or recorded
   */
  public long stamp(List<Message> batch, long sentAtNanos) {
    int count = batch.size();
    for (int i = 0; i < count; i++) { // an iterator would be the only allocation
      int bytes = batch.get(i).body().length;
      if (bytes < Stamp.BYTES) {
        throw new IllegalArgumentException(
            "body %d of the batch has %d bytes; a stamp needs at least %d"
                .formatted(i, bytes, Stamp.BYTES));
      }
    }
    long first = attempted.end();
    if (track != null || first < 0 || !attempted.append(first, first + count)) {
      synchronized (lock) {
        first = attempted.stop().end();
        record(first, first + count);
        attempted.resume();
      }
    }
    for (int i = 0; i < count; i++) {
      stamp.write(batch.get(i).body(), run, sender, first + i, sentAtNanos);
    }
    return first;
  }

  /**
   * Records sequence numbers that a sender elsewhere stamped. {@link #stamp} continues after the
   * highest of them.
   *
   * @param first the first sequence number, from 0 to below 2^62
   * @param count how many follow without a gap, this one included
   * @throws IllegalArgumentException if a number is out of these bounds
   */
  public void attempted(long first, int count) {
    requireInBounds(first, count);
    synchronized (lock) {
      record(first, first + count);
      attempted.resume();
    }
  }

  /**
   * Records messages as confirmed.
   *
   * @param first the first sequence number
   * @param count how many follow without a gap, this one included
   * @throws IllegalArgumentException if any of them was never attempted; nothing was recorded
   */
  public void confirmed(long first, int count) {
    requireInBounds(first, count);
    long end = first + count;
    if (track == null && attempted.hasAllBelow(end) && confirmed.append(first, end)) {
      return;
    }
    synchronized (lock) {
      requireAttempted(first, count);
      confirmed.stop().add(first, end, null);
      confirmed.resume();
      write(HistoryFormat.CONFIRMED, first, end);
    }
  }

  /**
   * Records the outcomes of a batch of which not every message was confirmed.
   *
   * @param first the first sequence number
   * @param outcomes one per message
   * @throws IllegalArgumentException if any message was never attempted; nothing was recorded
   */
  public void failed(long first, List<Outcome> outcomes) {
    requireInBounds(first, outcomes.size());
    synchronized (lock) {
      requireAttempted(first, outcomes.size());
      long sequence = first;
      for (Outcome outcome : outcomes) {
        switch (outcome) {
          case CONFIRMED -> confirmed.stop().add(sequence, sequence + 1, null);
          case REJECTED -> reject(sequence);
          case UNKNOWN -> saidUnknown.add(sequence, sequence + 1);
        }
        sequence++;
      }
      confirmed.resume();
      write(first, outcomes);
    }
  }

  /**
   * Records as attempted what was delivered, was not, and comes after a sequence number.
   *
   * @return how many messages that were
   */
  long assumeAttempted(long after) {
    synchronized (lock) {
      synchronized (receipts) {
        DenseSet delivered = receipts.stop();
        DenseSet ours = attempted.stop();
        long before = ours.size();
        for (int block : delivered.blocks()) {
          RoaringBitmap invented =
              RoaringBitmap.andNot(delivered.copyOf(block), ours.copyOf(block));
          for (int offset : invented) {
            long sequence = ((long) block << 32) + Integer.toUnsignedLong(offset);
            if (sequence > after) {
              record(sequence, sequence + 1);
            }
          }
        }
        receipts.resume();
        attempted.resume();
        return ours.size() - before;
      }
    }
  }

  Receipts receipts() {
    return receipts;
  }

  long attemptedCount() {
    long count = attempted.size();
    if (count < 0) {
      synchronized (lock) {
        count = attempted.stop().size();
        attempted.resume();
      }
    }
    return count;
  }

  /** Attempted, not rejected and not yet delivered, as far as counts can tell. */
  long outstanding() {
    long expected = attemptedCount() - rejectedCount.get();
    return Math.max(0, expected - receipts.deliveredCount());
  }

  boolean allConfirmedDelivered() {
    synchronized (lock) {
      synchronized (receipts) {
        DenseSet delivered = receipts.stop();
        DenseSet ours = confirmed.stop();
        boolean all =
            delivered.size() >= ours.size()
                && ours.blocks().stream()
                    .allMatch(block -> delivered.copyOf(block).contains(ours.copyOf(block)));
        confirmed.resume();
        receipts.resume();
        return all;
      }
    }
  }

  /** Adds what became of this sender's messages, as of one moment. */
  void addTo(Tally tally) {
    synchronized (lock) {
      synchronized (receipts) {
        DenseSet delivered = receipts.stop();
        DenseSet sent = attempted.stop();
        SortedSet<Integer> blocks = sent.blocks();
        blocks.addAll(delivered.blocks());
        long highest = highest(blocks, sent, delivered);
        for (int number : blocks) {
          Tally.Block block = new Tally.Block(sender, number, highest);
          block.attempted = sent.copyOf(number);
          block.confirmed = confirmed.stop().copyOf(number);
          block.unsure = saidUnknown.copyOf(number);
          block.rejected = rejected.copyOf(number);
          block.rejected.andNot(block.unsure);
          block.rejected.andNot(block.confirmed);
          if (!open.isEmpty()) {
            block.rejected.andNot(open.get(0).copyOf(number));
          }
          block.unsure.or(rejected.copyOf(number));
          block.unsure.or(reattempted.copyOf(number));
          receipts.copyTo(block);
          tally.add(block);
        }
        receipts.addCountsTo(tally);
        receipts.resume();
        confirmed.resume();
        attempted.resume();
      }
    }
  }

  /** The highest sequence number that was sent and delivered, or -1. */
  private static long highest(SortedSet<Integer> blocks, DenseSet sent, DenseSet delivered) {
    for (int number : new TreeSet<>(blocks).descendingSet()) {
      RoaringBitmap both = delivered.copyOf(number);
      both.and(sent.copyOf(number));
      if (!both.isEmpty()) {
        return ((long) number << 32) + Integer.toUnsignedLong(both.last());
      }
    }
    return -1;
  }

  /** Bytes held by the sets of sequence numbers. */
  long sizeInBytes() {
    synchronized (lock) {
      long inOrder = attempted.stop().sizeInBytes() + confirmed.stop().sizeInBytes();
      attempted.resume();
      confirmed.resume();
      return inOrder
          + rejected.sizeInBytes()
          + reattempted.sizeInBytes()
          + open.stream().mapToLong(SparseSet::sizeInBytes).sum()
          + saidUnknown.sizeInBytes()
          + receipts.sizeInBytes();
    }
  }

  /** Leaves the set of attempts stopped. */
  private void record(long from, long to) {
    attempted.stop().add(from, to, again);
    if (!again.isEmpty()) {
      for (long sequence = from; sequence < to; sequence++) {
        if (again.contains(sequence)) {
          attemptAgain(sequence);
        }
      }
      again.remove(from, to);
    }
    write(HistoryFormat.ATTEMPTED, from, to);
  }

  private void attemptAgain(long sequence) {
    boolean first = !reattempted.contains(sequence);
    reattempted.add(sequence, sequence + 1);
    if (first && !rejected.contains(sequence)) {
      addOpen(sequence); // the attempt before this one
    }
    addOpen(sequence);
  }

  private void addOpen(long sequence) {
    int attempts = 0;
    while (attempts < open.size() && open.get(attempts).contains(sequence)) {
      attempts++;
    }
    if (attempts == open.size()) {
      open.add(new SparseSet());
    }
    open.get(attempts).add(sequence, sequence + 1);
  }

  private void reject(long sequence) {
    if (!rejected.contains(sequence)) {
      rejected.add(sequence, sequence + 1);
      rejectedCount.lazySet(rejectedCount.get() + 1);
    }
    for (int attempts = open.size() - 1; attempts >= 0; attempts--) {
      if (open.get(attempts).contains(sequence)) {
        open.get(attempts).remove(sequence, sequence + 1);
        return;
      }
    }
  }

  private void write(int kind, long from, long to) {
    Track history = track;
    if (history != null) {
      history.sent(kind, from, to);
    }
  }

  private void write(long first, List<Outcome> outcomes) {
    Track history = track;
    for (int i = 0; history != null && i < outcomes.size(); ) {
      Outcome outcome = outcomes.get(i);
      int start = i;
      while (i < outcomes.size() && outcomes.get(i) == outcome) {
        i++;
      }
      int kind =
          switch (outcome) {
            case CONFIRMED -> HistoryFormat.CONFIRMED;
            case REJECTED -> HistoryFormat.REJECTED;
            case UNKNOWN -> HistoryFormat.UNKNOWN;
          };
      history.sent(kind, first + start, first + i);
    }
  }

  private void requireAttempted(long first, int count) {
    long found = attempted.stop().count(first, first + count);
    attempted.resume();
    if (found < count) {
      throw new IllegalArgumentException(
          "sender %d attempted only %d of the %d messages from sequence %d"
              .formatted(sender, found, count, first));
    }
  }

  private void requireInBounds(long first, int count) {
    if (first < 0 || count < 0 || first > SparseSet.LIMIT - count) {
      throw new IllegalArgumentException(
          "sender %d cannot have %d messages from sequence %d; sequences are 0 to below 2^62"
              .formatted(sender, count, first));
    }
  }
}
