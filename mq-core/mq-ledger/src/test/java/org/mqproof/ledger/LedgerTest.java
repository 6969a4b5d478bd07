package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;

class LedgerTest {

  private final Ledger ledger = new Ledger(7);
  private final SenderLog sender = ledger.sender(3);
  private final ReceiverLog receiver = ledger.newReceiver();

  @Test
  void aRunWithoutFaultsHoldsAndIsClean() {
    List<Message> batch = sent(10);
    sender.confirmed(0, 10);
    List<Long> times = new ArrayList<>();
    List<Delivery> deliveries = Bodies.deliveries(batch);
    receiver.delivered(deliveries, times::add);
    receiver.acked(deliveries);

    Verdict verdict = ledger.verdict(true);
    assertThat(verdict)
        .isEqualTo(new Verdict(10, 10, 0, 0, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0, true, List.of()));
    assertThat(verdict.holds()).isTrue();
    assertThat(verdict.clean()).isTrue();
    assertThat(times).hasSize(10).containsOnly(42L);
  }

  @Test
  void whatIsLostIsNamedAsRanges() {
    deliver(sent(30).subList(0, 17));
    sender.confirmed(0, 20);

    assertThat(ledger.verdict(true))
        .returns(3L, Verdict::lost)
        .returns(false, Verdict::holds)
        .returns(List.of("lost: sender 3 sequences 17-19"), Verdict::examples)
        .returns(
            "at-least-once broken: 20 confirmed, 3 lost, 0 unexpected, 0 corrupt, 0 duplicated,"
                + " 0 recovered",
            Verdict::summary);
  }

  @Test
  void withoutADrainNothingIsCalledLost() {
    sent(1);
    sender.confirmed(0, 1);

    assertThat(ledger.verdict(false))
        .returns(0L, Verdict::lost)
        .returns(1L, Verdict::unverified)
        .returns(false, Verdict::holds)
        .returns(List.of("unverified: sender 3 sequence 0"), Verdict::examples)
        .returns(
            "at-least-once unverified: not drained, 1 not delivered so far; 1 confirmed, 0 lost,"
                + " 0 unexpected, 0 corrupt, 0 duplicated, 0 recovered",
            Verdict::summary);
  }

  @Test
  void aDuplicateIsFoundAcrossReceiversAndDoesNotBreakAtLeastOnce() {
    List<Message> batch = sent(2);
    sender.confirmed(0, 2);
    deliver(batch);
    receiver.acked(Bodies.deliveries(batch.subList(0, 1)));
    ledger.newReceiver().delivered(Bodies.deliveries(batch), time -> {});

    assertThat(ledger.verdict(true))
        .returns(2L, Verdict::duplicated)
        .returns(1L, Verdict::deliveredAfterAck)
        .returns(true, Verdict::holds)
        .returns(false, Verdict::clean)
        .returns(List.of("duplicated: sender 3 sequences 0-1"), Verdict::examples)
        .returns(
            "at-least-once holds: 2 confirmed, 0 lost, 0 unexpected, 0 corrupt, 2 duplicated,"
                + " 0 recovered",
            Verdict::summary);
  }

  @Test
  void everyKindOfUnexpectedDeliveryIsNamed() {
    deliver(sent(1));
    sender.failed(0, List.of(REJECTED));
    receiver.delivered(3, 9);
    receiver.delivered(5, 0);
    receiver.delivered(5, 0);
    deliver(List.of(Bodies.stamped(8, 1, 2)));

    assertThat(ledger.verdict(true))
        .returns(4L, Verdict::unexpected)
        .returns(0L, Verdict::duplicated)
        .returns(false, Verdict::holds)
        .extracting(Verdict::examples)
        .isEqualTo(
            List.of(
                "unexpected: sender 3 sequence 9 (never attempted)",
                "unexpected: sender 3 sequence 0 (rejected)",
                "unexpected: sender 5 sequence 0 (never attempted)",
                "unexpected: run 8 sender 1 sequence 2 (never attempted in run 7)"));
  }

  @Test
  void corruptBodiesAreCountedAndDescribed() {
    List<Message> batch = sent(1);
    deliver(List.of(Bodies.changed(batch.get(0), 39, 1), new Message(new byte[5])));

    assertThat(ledger.verdict(true))
        .returns(2L, Verdict::corrupt)
        .returns(0L, Verdict::delivered)
        .returns(false, Verdict::holds)
        .returns(
            List.of(
                "corrupt: a body of 40 bytes whose stamp reads run 7, sender 3, sequence 0",
                "corrupt: a body of 5 bytes, too short for a stamp"),
            Verdict::examples);
  }

  @Test
  void examplesAreTenAtMostAndOfEveryKind() {
    List<Message> batch = sent(200);
    sender.confirmed(0, 200);
    for (int i = 0; i < 200; i += 2) {
      deliver(List.of(batch.get(i), batch.get(i), new Message(new byte[0])));
    }

    assertThat(ledger.verdict(true).examples())
        .hasSize(10)
        .anyMatch(text -> text.startsWith("lost: "))
        .anyMatch(text -> text.startsWith("corrupt: "))
        .anyMatch(text -> text.startsWith("duplicated: "));
  }

  @Test
  void theOutcomesOfSeveralAttemptsAddUp() {
    deliver(sent(5));
    sender.failed(0, List.of(REJECTED, REJECTED, UNKNOWN, REJECTED, CONFIRMED));
    sender.failed(0, List.of(REJECTED, UNKNOWN, REJECTED, CONFIRMED, UNKNOWN));

    assertThat(ledger.verdict(true))
        .returns(2L, Verdict::confirmed)
        .returns(1L, Verdict::rejected)
        .returns(2L, Verdict::unknown)
        .returns(2L, Verdict::recovered)
        .returns(1L, Verdict::unexpected);
  }

  @Test
  void onlyFirstDeliveriesCountAsReorderedAndOnlyPerReceiver() {
    List<Message> batch = sent(4);
    deliver(List.of(batch.get(2), batch.get(0), batch.get(2), batch.get(0)));
    ledger.newReceiver().delivered(Bodies.deliveries(List.of(batch.get(1))), time -> {});

    assertThat(ledger.verdict(true).reordered()).isEqualTo(1);
  }

  @Test
  void progressCanBeReadLive() {
    List<Message> batch = sent(10);
    sender.confirmed(0, 5);
    sender.failed(5, List.of(UNKNOWN, REJECTED));
    deliver(batch.subList(0, 3));
    assertThat(ledger.attempted()).isEqualTo(10);
    assertThat(ledger.delivered()).isEqualTo(3);
    assertThat(ledger.outstanding()).isEqualTo(6);
    assertThat(ledger.allConfirmedDelivered()).isFalse();

    deliver(batch.subList(5, 9)); // as many as were confirmed, but not the same
    assertThat(ledger.allConfirmedDelivered()).isFalse();

    deliver(batch.subList(3, 5));
    assertThat(ledger.allConfirmedDelivered()).isTrue();
  }

  @Test
  void stampingContinuesAfterWhatWasAttemptedElsewhere() {
    sender.attempted(5, 10);

    assertThat(sender.stamp(Bodies.messages(1), 0)).isEqualTo(15);
    assertThat(ledger.verdict(true).attempted()).isEqualTo(11);
  }

  @Test
  void aBodyTooShortIsNamedAndNothingIsAttempted() {
    List<Message> batch = List.of(new Message(new byte[32]), new Message(new byte[31]));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> sender.stamp(batch, 0))
        .withMessage("body 1 of the batch has 31 bytes; a stamp needs at least 32");
    assertThat(ledger.attempted()).isZero();
    assertThat(batch.get(0).body()).containsOnly(0);
  }

  @Test
  void whatWasNeverAttemptedCannotBeConfirmed() {
    sent(3);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> sender.confirmed(2, 2))
        .withMessage("sender 3 attempted only 1 of the 2 messages from sequence 2");
    assertThatIllegalArgumentException().isThrownBy(() -> sender.failed(3, List.of(UNKNOWN)));
    assertThat(ledger.verdict(true).confirmed()).isZero();
  }

  @Test
  void numbersOutOfBoundsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> ledger.sender(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> sender.attempted(-1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> sender.attempted(1, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> sender.attempted(1L << 62, 1));
    sender.attempted((1L << 62) - 1, 1);
    assertThat(ledger.attempted()).isEqualTo(1);
  }

  @Test
  void deliveriesThatNoSenderCanHaveMadeAreUnexpected() {
    receiver.delivered(-1, 0);
    receiver.delivered(3, -1);
    receiver.delivered(3, Long.MAX_VALUE);
    receiver.acked(-1, 0);

    assertThat(ledger.verdict(true))
        .returns(3L, Verdict::unexpected)
        .returns(0L, Verdict::delivered)
        .returns(0L, Verdict::acked);
  }

  @Test
  void aRunNumberIsDrawnForEachRun() {
    assertThat(List.of(new Ledger().run(), new Ledger().run(), new Ledger().run()))
        .doesNotHaveDuplicates();
  }

  private List<Message> sent(int count) {
    List<Message> batch = Bodies.messages(count);
    sender.stamp(batch, 42);
    return batch;
  }

  private void deliver(List<Message> messages) {
    receiver.delivered(Bodies.deliveries(messages), time -> {});
  }
}
