package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Receiver;

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
    receiver.givenToAck(deliveries);
    receiver.acked(deliveries);

    Verdict verdict = ledger.verdict(true);
    assertThat(verdict).isEqualTo(Verdicts.ofFlawless(10));
    assertThat(verdict.holds()).isTrue();
    assertThat(verdict.expecting(verdict.expected().withoutRedelivery()).holds()).isTrue();
    assertThat(times).hasSize(10).containsOnly(42L);
  }

  @Test
  void whatIsLostIsNamedAsRanges() {
    deliverAndAck(sent(30).subList(0, 17));
    sender.confirmed(0, 20);

    assertThat(ledger.verdict(true))
        .returns(3L, Verdict::lost)
        .returns(false, Verdict::holds)
        .returns(List.of("lost: sender 3 sequences 17-19"), Verdict::examples)
        .returns(
            "at-least-once broken: 3 lost; 20 confirmed", verdict -> verdict.judgement().words());
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
            "at-least-once not proven: not drained, 1 unverified; 1 confirmed",
            verdict -> verdict.judgement().words());
  }

  @Test
  void aDuplicateIsFoundAcrossReceiversAndDoesNotBreakAtLeastOnce() {
    List<Message> batch = sent(2);
    sender.confirmed(0, 2);
    deliver(batch);
    ReceiverLog other = ledger.newReceiver();
    other.delivered(Bodies.deliveries(batch), time -> {});
    other.acked(Bodies.deliveries(batch));

    Verdict verdict = ledger.verdict(true);
    assertThat(verdict)
        .returns(2L, Verdict::duplicated)
        .returns(true, Verdict::holds)
        .returns(List.of("duplicated: sender 3 sequences 0-1"), Verdict::examples)
        .returns("at-least-once holds; 2 confirmed, 2 duplicated", v -> v.judgement().words());
    assertThat(Expectations.AT_LEAST_ONCE.withoutRedelivery().judge(verdict).words())
        .isEqualTo("at-least-once broken: 2 duplicated; 2 confirmed");
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
    sender.attempted(0, 5);
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
  void anAttemptWithoutAnOutcomeIsUnknownWhateverBecameOfTheOthers() {
    deliver(sent(1));
    sender.attempted(0, 1);
    sender.failed(0, List.of(REJECTED));
    assertThat(ledger.verdict(true))
        .returns(1L, Verdict::unknown)
        .returns(1L, Verdict::recovered)
        .returns(0L, Verdict::unexpected);

    sender.attempted(0, 1);
    sender.failed(0, List.of(REJECTED));
    assertThat(ledger.verdict(true)).returns(1L, Verdict::unknown);
    sender.failed(0, List.of(REJECTED));
    assertThat(ledger.verdict(true))
        .returns(1L, Verdict::rejected)
        .returns(0L, Verdict::recovered)
        .returns(1L, Verdict::unexpected);
    sender.attempted(0, 1);
    assertThat(ledger.verdict(true)).returns(1L, Verdict::unknown);
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
  void anOrderIsDeclaredBeforeTheFirstDelivery() {
    Expectations ordered = Expectations.AT_LEAST_ONCE.withOrder(Ordering.PER_SENDER);
    ledger.expect(ordered);
    deliver(sent(1));

    ledger.expect(ordered.withoutRedelivery());
    ledger.fault("a fault changes no order");
    assertThatIllegalStateException()
        .isThrownBy(() -> ledger.expect(Expectations.AT_LEAST_ONCE))
        .withMessage("an order is declared before the first delivery");
    assertThat(ledger.verdict(true).expected())
        .isEqualTo(new Expectations(Ordering.PER_SENDER, true, false));
  }

  /** A receiver whose acks end as the test wants. */
  private static final class Acking implements Receiver {
    private final CompletableFuture<Void> end;

    Acking(CompletableFuture<Void> end) {
      this.end = end;
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) {
      return List.of();
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      if (deliveries.isEmpty()) {
        throw new MqException("not connected");
      }
      return end;
    }

    @Override
    public void close() {}
  }

  @Test
  void anAckIsRecordedWithItsOutcomeBeforeTheFutureTellsIt() {
    List<Delivery> batch = Bodies.deliveries(sent(4));
    sender.confirmed(0, 4);
    receiver.delivered(batch, time -> {});
    CompletableFuture<Void> open = new CompletableFuture<>();
    CompletableFuture<Void> failing = new CompletableFuture<>();

    CompletableFuture<Void> first =
        receiver.ack(new Acking(CompletableFuture.completedFuture(null)), batch.subList(0, 1));
    CompletableFuture<Void> second = receiver.ack(new Acking(open), batch.subList(1, 2));
    CompletableFuture<Void> third = receiver.ack(new Acking(failing), batch.subList(2, 3));
    assertThat(first).isCompleted();
    assertThat(ledger.verdict(true))
        .returns(1L, Verdict::acked)
        .returns(new Verdict.Acks(true, 1, 2, false), Verdict::acks);

    open.complete(null);
    failing.completeExceptionally(new MqException("no"));
    assertThat(second).isCompleted();
    assertThat(third).isCompletedExceptionally();
    assertThat(ledger.verdict(true))
        .returns(2L, Verdict::acked)
        .returns(new Verdict.Acks(true, 1, 1, false), Verdict::acks)
        .returns(
            List.of(
                "lost: sender 3 sequence 3 (delivered, never given to ack)",
                "ack in doubt: sender 3 sequence 2 (failed)"),
            Verdict::examples);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.ack(new Acking(open), List.of()));
  }

  /** A stamp that reads like another message must not settle that one. */
  @Test
  void aCorruptBodySettlesNothing() {
    List<Message> batch = sent(1);
    sender.confirmed(0, 1);
    deliver(batch);
    List<Delivery> changed = Bodies.deliveries(List.of(Bodies.changed(batch.get(0), 39, 1)));
    receiver.delivered(changed, time -> {});
    receiver.acked(changed);
    assertThat(ledger.verdict(true)).returns(0L, Verdict::acked).returns(1L, Verdict::lost);
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

  private void deliverAndAck(List<Message> messages) {
    deliver(messages);
    receiver.givenToAck(Bodies.deliveries(messages));
    receiver.acked(Bodies.deliveries(messages));
  }

  private void deliver(List<Message> messages) {
    receiver.delivered(Bodies.deliveries(messages), time -> {});
  }
}
