package org.mqproof.ledger;

import java.util.List;
import org.roaringbitmap.RoaringBitmap;

/** Adds up what the logs know into a verdict. Not thread-safe. */
final class Tally {

  private final boolean drained;
  private long attempted;
  private long confirmed;
  private long rejected;
  private long delivered;
  private long acked;
  private long missing;
  private long duplicated;
  private long unexpected;
  private long recovered;
  private long corrupt;
  private long reordered;
  private long deliveredAfterAck;
  private final Examples missingExamples;
  private final Examples unexpectedExamples = new Examples("unexpected");
  private final Examples corruptExamples = new Examples("corrupt");
  private final Examples duplicatedExamples = new Examples("duplicated");

  Tally(boolean drained) {
    this.drained = drained;
    missingExamples = new Examples(drained ? "lost" : "unverified");
  }

  /** Adds one block of 2^32 sequence numbers of one sender. May keep and change the bitmaps. */
  void add(
      int sender,
      int block,
      RoaringBitmap isAttempted,
      RoaringBitmap isConfirmed,
      RoaringBitmap isRejected,
      RoaringBitmap isDelivered,
      RoaringBitmap isDeliveredAgain,
      RoaringBitmap isAcked) {
    attempted += isAttempted.getLongCardinality();
    confirmed += isConfirmed.getLongCardinality();
    rejected += isRejected.getLongCardinality();

    RoaringBitmap invented = RoaringBitmap.andNot(isDelivered, isAttempted);
    unexpected += invented.getLongCardinality();
    unexpectedExamples.add(sender, block, invented, " (never attempted)");

    isDelivered.and(isAttempted);
    delivered += isDelivered.getLongCardinality();
    isAcked.and(isAttempted);
    acked += isAcked.getLongCardinality();
    isDeliveredAgain.and(isAttempted);
    duplicated += isDeliveredAgain.getLongCardinality();
    duplicatedExamples.add(sender, block, isDeliveredAgain, "");

    RoaringBitmap isMissing = RoaringBitmap.andNot(isConfirmed, isDelivered);
    missing += isMissing.getLongCardinality();
    missingExamples.add(sender, block, isMissing, "");

    RoaringBitmap deliveredRejected = RoaringBitmap.and(isDelivered, isRejected);
    unexpected += deliveredRejected.getLongCardinality();
    unexpectedExamples.add(sender, block, deliveredRejected, " (rejected)");

    isDelivered.andNot(isConfirmed);
    isDelivered.andNot(isRejected);
    recovered += isDelivered.getLongCardinality();
  }

  void addCounts(long moreReordered, long moreDeliveredAfterAck) {
    reordered += moreReordered;
    deliveredAfterAck += moreDeliveredAfterAck;
  }

  void addOdd(long moreCorrupt, Examples ofCorrupt, long moreUnexpected, Examples ofUnexpected) {
    corrupt += moreCorrupt;
    corruptExamples.addAll(ofCorrupt);
    unexpected += moreUnexpected;
    unexpectedExamples.addAll(ofUnexpected);
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
        Examples.merge(
            List.of(missingExamples, unexpectedExamples, corruptExamples, duplicatedExamples)));
  }
}
