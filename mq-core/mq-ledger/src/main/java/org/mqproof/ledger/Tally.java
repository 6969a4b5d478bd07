package org.mqproof.ledger;

import java.util.List;
import org.mqproof.Ordering;
import org.roaringbitmap.RoaringBitmap;

/** Adds up what the logs know into a verdict. Not thread-safe. */
final class Tally {

  private final boolean drained;
  private final boolean acksRecorded;
  private final Expectations expected;
  private boolean gaveBack;
  private long attempted;
  private long confirmed;
  private long rejected;
  private long delivered;
  private long acked;
  private long missing;
  private long neverGiven;
  private long inDoubt;
  private long duplicated;
  private long unexpected;
  private long recovered;
  private long corrupt;
  private long reordered;
  private long deliveredAfterAck;
  private long lostWrites;
  private long unseen;
  private long duplicates;
  private long nonmonotonicPolls;
  private long nonmonotonicSends;
  private long skippedPolls;
  private final Examples missingExamples;
  private final Examples unexpectedExamples = new Examples("unexpected");
  private final Examples corruptExamples = new Examples("corrupt");
  private final Examples reorderedExamples = new Examples("reordered");
  private final Examples skippedExamples = new Examples("skipped");
  private final Examples afterAckExamples = new Examples("delivered after ack");
  private final Examples duplicatedExamples = new Examples("duplicated");
  private final Examples inDoubtExamples = new Examples("ack in doubt");

  /** One block of 2^32 sequence numbers of one sender: copies, which the tally may change. */
  static final class Block {
    final int sender;
    final int number;

    /** Above it nothing of this sender was delivered. */
    final long highestDelivered;

    RoaringBitmap attempted = new RoaringBitmap();
    RoaringBitmap confirmed = new RoaringBitmap();
    RoaringBitmap rejected = new RoaringBitmap();

    /** Of which an attempt was not confirmed, or that were attempted more than once. */
    RoaringBitmap unsure = new RoaringBitmap();

    RoaringBitmap delivered = new RoaringBitmap();
    RoaringBitmap deliveredAgain = new RoaringBitmap();
    RoaringBitmap given = new RoaringBitmap();
    RoaringBitmap acked = new RoaringBitmap();
    RoaringBitmap ackFailed = new RoaringBitmap();
    RoaringBitmap owedAgain = new RoaringBitmap();
    RoaringBitmap deliveredAfterAck = new RoaringBitmap();
    RoaringBitmap late = new RoaringBitmap();
    RoaringBitmap skipped = new RoaringBitmap();

    Block(int sender, int number, long highestDelivered) {
      this.sender = sender;
      this.number = number;
      this.highestDelivered = highestDelivered;
    }
  }

  /**
   * Starts at zero.
   *
   * @param acksRecorded whether it is known which deliveries were given to ack
   */
  Tally(boolean drained, boolean acksRecorded, Expectations expected) {
    this.drained = drained;
    this.acksRecorded = acksRecorded;
    this.expected = expected;
    missingExamples = new Examples(drained ? "lost" : "unverified");
  }

  /** Adds one block. */
  void add(Block block) {
    attempted += block.attempted.getLongCardinality();
    confirmed += block.confirmed.getLongCardinality();
    rejected += block.rejected.getLongCardinality();

    RoaringBitmap invented = RoaringBitmap.andNot(block.delivered, block.attempted);
    unexpected += invented.getLongCardinality();
    unexpectedExamples.add(block.sender, block.number, invented, " (never attempted)");

    block.delivered.and(block.attempted);
    delivered += block.delivered.getLongCardinality();
    block.acked.and(block.attempted);
    acked += block.acked.getLongCardinality();
    block.deliveredAgain.and(block.attempted);
    duplicated += block.deliveredAgain.getLongCardinality();
    duplicatedExamples.add(block.sender, block.number, block.deliveredAgain, "");
    afterAckExamples.add(block.sender, block.number, block.deliveredAfterAck, "");

    addMissing(block);
    if (acksRecorded) {
      addAcks(block);
    }
    addOrder(block);

    RoaringBitmap deliveredRejected = RoaringBitmap.and(block.delivered, block.rejected);
    unexpected += deliveredRejected.getLongCardinality();
    unexpectedExamples.add(block.sender, block.number, deliveredRejected, " (rejected)");

    block.delivered.andNot(block.confirmed);
    block.delivered.andNot(block.rejected);
    recovered += block.delivered.getLongCardinality();
  }

  private void addMissing(Block block) {
    RoaringBitmap never = RoaringBitmap.andNot(block.confirmed, block.delivered);
    long count = never.getLongCardinality();
    missing += count;
    missingExamples.add(block.sender, block.number, never, "");
    if (drained) {
      long end = block.highestDelivered + 1 - ((long) block.number << 32);
      long before = end <= 0 ? 0 : never.rangeCardinality(0, Math.min(end, 1L << 32));
      lostWrites += before;
      unseen += count - before;
    }
  }

  private void addAcks(Block block) {
    RoaringBitmap owed = RoaringBitmap.andNot(block.delivered, block.given);
    owed.or(block.owedAgain);
    owed.andNot(block.acked);

    RoaringBitmap doubt = RoaringBitmap.and(block.delivered, block.given);
    doubt.andNot(block.acked);
    doubt.andNot(owed);
    inDoubt += doubt.getLongCardinality();
    RoaringBitmap failed = RoaringBitmap.and(doubt, block.ackFailed);
    inDoubtExamples.add(block.sender, block.number, failed, " (failed)");
    doubt.andNot(failed);
    inDoubtExamples.add(block.sender, block.number, doubt, " (no outcome)");

    owed.and(block.confirmed);
    neverGiven += owed.getLongCardinality();
    missing += owed.getLongCardinality();
    missingExamples.add(block.sender, block.number, owed, " (delivered, never given to ack)");
  }

  private void addOrder(Block block) {
    if (expected.order() == Ordering.NONE) {
      return;
    }
    block.late.and(block.confirmed);
    block.late.andNot(block.unsure);
    nonmonotonicSends += block.late.getLongCardinality();
    block.skipped.and(block.confirmed);
    block.skipped.andNot(block.unsure);
    skippedPolls += block.skipped.getLongCardinality();
    reorderedExamples.add(block.sender, block.number, block.late, "");
    skippedExamples.add(block.sender, block.number, block.skipped, "");
  }

  void addCounts(long late, long afterAck, long ahead, long behind) {
    reordered += late;
    deliveredAfterAck += afterAck;
    duplicates += ahead;
    nonmonotonicPolls += behind;
  }

  void addOdd(long moreCorrupt, Examples ofCorrupt, long moreUnexpected, Examples ofUnexpected) {
    corrupt += moreCorrupt;
    corruptExamples.addAll(ofCorrupt);
    unexpected += moreUnexpected;
    unexpectedExamples.addAll(ofUnexpected);
  }

  void addGaveBack(boolean oneMore) {
    gaveBack |= oneMore;
  }

  Verdict verdict() {
    return new Verdict(
        attempted,
        confirmed,
        rejected,
        attempted - confirmed - rejected,
        delivered,
        acked,
        drained ? missing : 0,
        drained ? 0 : missing,
        duplicated,
        unexpected,
        recovered,
        corrupt,
        reordered,
        deliveredAfterAck,
        drained,
        new Verdict.Acks(acksRecorded, neverGiven, inDoubt, gaveBack),
        new Verdict.Anomalies(
            lostWrites, unseen, duplicates, nonmonotonicPolls, nonmonotonicSends, skippedPolls),
        expected,
        Examples.mergeKinds(
            List.of(
                missingExamples,
                unexpectedExamples,
                corruptExamples,
                reorderedExamples,
                skippedExamples,
                afterAckExamples,
                duplicatedExamples,
                inDoubtExamples)));
  }
}
