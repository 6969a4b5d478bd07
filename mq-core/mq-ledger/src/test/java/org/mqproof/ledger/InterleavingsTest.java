package org.mqproof.ledger;

import java.util.List;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.Outcome;
import org.mqproof.interleavings.Mutant;
import org.mqproof.interleavings.Race;

/** What several threads record about one sender, in many interleavings; and mutants are found. */
@Tag("interleavings")
class InterleavingsTest {

  /** Two receivers get messages 0 to 4 and 3 to 6 of one sender, and ack them. */
  public static final class TwoReceivers {

    private final Receipts receipts = new Receipts(() -> true, null);

    public void deliverOne() {
      receipts.delivered(1, new long[] {0, 5}, 2, -1);
    }

    public void ackOne() {
      receipts.settle(HistoryFormat.ACKED, 1, new long[] {0, 5}, 2);
    }

    public void deliverOther() {
      receipts.delivered(2, new long[] {3, 7}, 2, -1);
    }

    public void ackOther() {
      receipts.settle(HistoryFormat.ACKED, 2, new long[] {3, 7}, 2);
    }

    @Validate
    public void balance() {
      Tally.Block all = new Tally.Block(0, 0, -1);
      receipts.copyTo(all);
      int again = all.deliveredAgain.getCardinality();
      if (receipts.deliveredCount() != 7
          || all.delivered.getCardinality() != 7
          || again != 2
          || all.acked.getCardinality() != 7) {
        throw new AssertionError(
            "%d of 7 delivered, %d of 2 again".formatted(receipts.deliveredCount(), again));
      }
    }
  }

  /** Two receivers get messages 0 to 4 and then 5 to 9, which each of them could get first. */
  public static final class InOrder {

    private final Receipts receipts = new Receipts(() -> false, null);

    public InOrder() {
      receipts.shared();
    }

    public void first() {
      receipts.delivered(1, new long[] {0, 5}, 2, -1);
    }

    public void next() {
      receipts.delivered(1, new long[] {5, 10}, 2, 4);
      receipts.settle(HistoryFormat.ACKED, 1, new long[] {0, 10}, 2);
    }

    public void firstOther() {
      receipts.delivered(2, new long[] {0, 5}, 2, -1);
    }

    public void nextOther() {
      receipts.delivered(2, new long[] {5, 10}, 2, 4);
    }

    @Validate
    public void balance() {
      Tally.Block all = new Tally.Block(0, 0, -1);
      receipts.copyTo(all);
      receipts.resume();
      if (receipts.deliveredCount() != 10
          || all.delivered.getCardinality() != 10
          || all.deliveredAgain.getCardinality() != 10
          || all.acked.getCardinality() != 10) {
        throw new AssertionError(
            "%d of 10 delivered, %d of 10 again, %d of 10 acked"
                .formatted(
                    all.delivered.getCardinality(),
                    all.deliveredAgain.getCardinality(),
                    all.acked.getCardinality()));
      }
    }
  }

  /** Messages 0 to 5 get their outcomes, and a sender elsewhere stamps 6 to 8. */
  public static final class Outcomes {

    private final SenderLog log = new SenderLog(0, 0, () -> true, null);

    public Outcomes() {
      log.attempted(0, 6);
    }

    public void confirm() {
      log.confirmed(0, 2);
    }

    public void fail() {
      log.failed(2, List.of(Outcome.REJECTED, Outcome.REJECTED, Outcome.UNKNOWN));
    }

    public void failAgain() {
      log.failed(3, List.of(Outcome.REJECTED, Outcome.REJECTED, Outcome.UNKNOWN));
    }

    public void attempt() {
      log.attempted(6, 3);
    }

    @Validate
    public void balance() {
      if (log.attemptedCount() != 9 || log.outstanding() != 6) {
        throw new AssertionError(
            "%d of 9 attempted, %d of 6 outstanding"
                .formatted(log.attemptedCount(), log.outstanding()));
      }
    }
  }

  private static final Race RECEIPTS =
      Race.of(TwoReceivers.class, "deliverOne ackOne", "deliverOther ackOther");
  private static final Race IN_ORDER = Race.of(InOrder.class, "first next", "firstOther nextOther");
  private static final Race OUTCOMES =
      Race.of(Outcomes.class, "confirm attempt", "fail", "failAgain");

  @Test
  void eachDeliveryIsCountedOnce() {
    RECEIPTS.check();
  }

  @Test
  void addingToASetWithoutTheLockIsFound() {
    RECEIPTS.mustFail(
        Mutant.of(Receipts.class)
            .replace("synchronized long lockAndDeliver(", "long lockAndDeliver("),
        "Validation");
  }

  @Test
  void whatComesInOrderIsCountedOnce() {
    IN_ORDER.check();
  }

  @Test
  void appendingWithoutComparingIsFound() {
    IN_ORDER.mustFail(
        Mutant.of(GrowingSet.class)
            .replace(
                "return end.compareAndSet(from, to);",
                "boolean fits = end.get() == from; if (fits) { end.set(to); } return fits;"),
        "Validation");
  }

  @Test
  void stoppingTheGrowthInTwoStepsIsFound() {
    IN_ORDER.mustFail(
        Mutant.of(GrowingSet.class)
            .replace("end.getAndSet(STOPPED)", "end.get() + 0 * end.getAndSet(STOPPED)"),
        "Validation");
  }

  @Test
  void eachOutcomeIsCountedOnce() {
    OUTCOMES.check();
  }

  @Test
  void countingRejectionsWithoutTheLockIsFound() {
    OUTCOMES.mustFail(
        Mutant.of(SenderLog.class)
            .replace(
                "synchronized (lock) { requireAttempted(first, outcomes.size());",
                "synchronized (new Object()) { requireAttempted(first, outcomes.size());"),
        "Validation");
  }
}
