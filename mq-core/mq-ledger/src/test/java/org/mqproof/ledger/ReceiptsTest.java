package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What continues a set in order, and must be looked at nevertheless. */
class ReceiptsTest {

  private final Receipts receipts = new Receipts(() -> true, null);

  @Test
  void whatWasAckedBeforeItWasDeliveredIsDeliveredAfterItsAck() {
    deliver(0, 0, 5, -1);
    receipts.settle(HistoryFormat.ACKED, 0, new long[] {0, 10}, 2);
    deliver(0, 5, 10, 4);
    assertThat(found().deliveredAfterAck.getCardinality()).isEqualTo(5);

    receipts.resume();
    deliver(0, 10, 12, 9);
    assertThat(found().deliveredAfterAck.getCardinality()).isEqualTo(5);
    assertThat(receipts.deliveredCount()).isEqualTo(12);
  }

  @Test
  void whatIsOwedIsGivenOnceMoreAlsoIfItWasNeverGivenBefore() {
    deliver(0, 0, 5, -1);
    receipts.settle(HistoryFormat.GIVEN, 0, new long[] {0, 3}, 2);
    receipts.settle(HistoryFormat.ACKED, 0, new long[] {0, 5}, 2);
    deliver(0, 3, 5, 4);
    assertThat(found().owedAgain.getCardinality()).isEqualTo(2);

    receipts.resume();
    receipts.settle(HistoryFormat.GIVEN, 0, new long[] {3, 5}, 2);
    assertThat(found().owedAgain.getCardinality()).isZero();
  }

  @Test
  void onceAnotherReceiverGotSomethingItIsNotKnownSinceWhenTheFirstWasNotAlone() {
    deliver(0, 0, 3, -1);
    deliver(0, 4, 6, 2);
    deliver(1, 6, 8, -1);
    receipts.shared();
    deliver(1, 3, 4, 7);
    assertThat(found().skipped.getCardinality()).isZero();
  }

  @Test
  void theFirstReceiverSkippedWhatAnotherGetsOfItsTimeAlone() {
    deliver(0, 0, 3, -1);
    deliver(0, 4, 6, 2);
    receipts.shared();
    deliver(1, 3, 4, -1);
    assertThat(found().skipped.getCardinality()).isEqualTo(1);
  }

  private void deliver(int receiver, long from, long to, long highest) {
    receipts.delivered(receiver, new long[] {from, to}, 2, highest);
  }

  private Tally.Block found() {
    Tally.Block all = new Tally.Block(0, 0, -1);
    receipts.copyTo(all);
    return all;
  }
}
