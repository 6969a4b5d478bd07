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
      receipts.acked(1, new long[] {0, 5}, 2);
    }

    public void deliverOther() {
      receipts.delivered(2, new long[] {3, 7}, 2, -1);
    }

    public void ackOther() {
      receipts.acked(2, new long[] {3, 7}, 2);
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
  private static final Race OUTCOMES =
      Race.of(Outcomes.class, "confirm attempt", "fail", "failAgain");

  @Test
  void eachDeliveryIsCountedOnce() {
    RECEIPTS.check();
  }

  @Test
  void addingToASetWithoutTheLockIsFound() {
    RECEIPTS.mustFail(
        Mutant.of(Receipts.class).replace("synchronized long delivered(", "long delivered("),
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
