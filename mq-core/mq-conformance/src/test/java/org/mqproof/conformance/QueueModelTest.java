package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Ordering;
import org.mqproof.Outcome;
import org.mqproof.Traits;
import org.mqproof.conformance.QueueModel.GivenAck;
import org.mqproof.conformance.QueueModel.Handed;
import org.mqproof.conformance.QueueModel.Holder;
import org.mqproof.conformance.QueueModel.NotAllowed;
import org.mqproof.conformance.QueueModel.Sent;

/** What the model allows, and what it does not. */
class QueueModelTest {

  private static final Traits TRAITS =
      Traits.mode("model")
          .claimPeriod(Duration.ofSeconds(10))
          .ordering(Ordering.PER_SENDER)
          .largestBodyBytes(8)
          .mostInFlight(3)
          .mostHeaders(1)
          .largestHeadersBytes(4)
          .build();

  private long nanos = 1;
  private final QueueModel model = new QueueModel(TRAITS, () -> nanos++, false);
  private final Holder first = new Holder("r1");
  private final Holder second = new Holder("r2");

  @Test
  void whatWasNeverSentIsNotDelivered() {
    confirm(1, "a");
    assertBreaks(AloRule.ALO_04, () -> deliver(first, "b"));
  }

  @Test
  void aClaimHidesUntilItsReceiverEndsOrItsPeriodIsNearlyOver() {
    confirm(1, "a");
    deliver(first, "a");
    assertBreaks(AloRule.ALO_05, () -> deliver(second, "a"));
    nanos += Duration.ofSeconds(7).toNanos();
    assertAllowed(() -> deliver(second, "a"));
    model.ends(second);
    assertAllowed(() -> deliver(new Holder("r3"), "a"));
  }

  @Test
  void asManyAreDeliveredAsEqualBodiesWereSent() {
    confirm(1, "a", "a");
    deliver(first, "a");
    settle(deliver(second, "a"));
    assertBreaks(AloRule.ALO_05, () -> deliver(second, "a"));
    model.ends(first);
    assertAllowed(() -> deliver(second, "a"));
  }

  @Test
  void anAckSettles() {
    confirm(1, "a");
    settle(deliver(first, "a"));
    model.ends(first);
    assertBreaks(AloRule.ALO_09, () -> deliver(second, "a"));
  }

  @Test
  void whatWasConfirmedAndNotGivenToAnAckIsMissing() {
    confirm(1, "a", "b", "c");
    List<Handed> handed = deliver(first, "a", "b");
    model.give(handed.subList(0, 1));
    assertThat(model.missing()).isEqualTo(2);
    assertThat(model.available()).as("c alone: b is held").isEqualTo(1);
    model.ends(first);
    assertThat(model.available()).isEqualTo(2);
    assertThat(model.lost())
        .hasMessageContaining("never delivered")
        .hasMessageContaining("not acked");
  }

  @Test
  void outcomesAreTrue() {
    assertBreaks(AloRule.ALO_03, () -> confirm(1, "too large"));
    assertBreaks(AloRule.ALO_03, () -> fail(1, false, List.of(Outcome.REJECTED), "a"));
    assertBreaks(AloRule.ALO_03, () -> fail(1, false, List.of(Outcome.UNKNOWN), "b"));
    assertBreaks(AloRule.ALO_04, () -> fail(1, false, List.of(Outcome.UNKNOWN), "too large"));
    assertBreaks(AloRule.ALO_03, () -> fail(1, false, List.of(Outcome.REJECTED), "too large", "c"));
    assertAllowed(
        () -> fail(1, false, List.of(Outcome.CONFIRMED, Outcome.REJECTED), "d", "too large"));
    assertAllowed(() -> fail(1, true, List.of(Outcome.REJECTED), "e"));
    assertBreaks(AloRule.ALO_03, () -> deliver(first, "e"));
  }

  @Test
  void orderIsJudgedUntilSomethingDisturbsIt() {
    confirm(1, "a", "b", "c");
    deliver(first, "b");
    assertBreaks(AloRule.ALO_17, () -> deliver(first, "a"));
    model.disturb();
    deliver(second, "c");
    confirm(1, "d", "e");
    deliver(first, "e");
    model.ends(second);
    assertAllowed(() -> deliver(first, "d"));
  }

  @Test
  void ordersOfDifferentSendersAreTheirOwn() {
    confirm(1, "a");
    confirm(2, "b");
    deliver(first, "b");
    assertAllowed(() -> deliver(first, "a"));
  }

  @Test
  void noReceiverHoldsMoreThanIsDeclared() {
    confirm(1, "a", "b", "c", "d");
    deliver(first, "a", "b", "c");
    assertBreaks(AloRule.ALO_12, () -> deliver(first, "d"));
  }

  @Test
  void aLateAckFailsAndSettlesNothing() {
    confirm(1, "a");
    List<Handed> late = deliver(first, "a");
    nanos += Duration.ofSeconds(11).toNanos();
    deliver(second, "a");
    GivenAck given = model.give(late);
    assertThat(model.missing()).isEqualTo(1);
    assertBreaks(AloRule.ALO_11, () -> model.acked(given));
    assertAllowed(() -> model.ackFailed(given, false, new IllegalStateException("late")));
  }

  @Test
  void anAckInTimeMustSucceed() {
    confirm(1, "a");
    GivenAck given = model.give(deliver(first, "a"));
    assertBreaks(
        AloRule.ALO_09, () -> model.ackFailed(given, false, new IllegalStateException("why?")));
    assertAllowed(() -> model.ackFailed(given, true, new IllegalStateException("closed")));
  }

  @Test
  void whatReceiversThatWereClosedTellLateIsNoBreach() {
    confirm(1, "a");
    model.ends(first); // by another thread, while first's receive returned
    settle(deliver(second, "a"));
    assertAllowed(() -> deliver(first, "a"));
  }

  @Test
  void headersArePartOfAMessage() {
    Message sent = new Message(new byte[1], Map.of("a", "1"));
    model.confirmed(model.attempt(1, List.of(sent)));
    assertAllowed(() -> deliver(first, sent));
    assertBreaks(AloRule.ALO_04, () -> deliver(first, new Message(new byte[1])));
    assertBreaks(AloRule.ALO_04, () -> deliver(first, new Message(new byte[1], Map.of("A", "1"))));
  }

  @Test
  void aMessageOverALimitOfHeadersIsNotConfirmed() {
    for (Map<String, String> headers :
        List.of(Map.of("a", "1", "b", "2"), Map.of("a", "1234"), Map.of("a", "\u00e9\u00e9"))) {
      Sent sent = model.attempt(1, List.of(new Message(new byte[0], headers)));
      assertBreaks(AloRule.ALO_03, () -> model.confirmed(sent));
    }
  }

  @Test
  void aReleasedMessageMayComeAgainAndItsAckMustFail() {
    confirm(1, "a", "b");
    List<Handed> handed = deliver(first, "a", "b");
    model.releases(handed);
    model.released(handed);
    assertThat(model.missing()).isEqualTo(2);
    assertAllowed(() -> deliver(second, "a"));
    GivenAck late = model.give(handed);
    assertThat(model.missing()).isEqualTo(2);
    assertBreaks(AloRule.ALO_11, () -> model.acked(late));
    assertBreaks(
        AloRule.ALO_11, () -> tell(model.give(handed), Outcome.CONFIRMED, Outcome.REJECTED));
    assertAllowed(() -> tell(model.give(handed), Outcome.REJECTED, Outcome.REJECTED));
  }

  @Test
  void aReleaseOfOpenClaimsMustSucceed() {
    confirm(1, "a");
    List<Handed> handed = deliver(first, "a");
    model.releases(handed);
    assertBreaks(
        AloRule.ALO_25,
        () -> model.releaseFailed(handed, false, new IllegalStateException("why?")));
    assertAllowed(() -> model.releaseFailed(handed, true, new IllegalStateException("closed")));
  }

  @Test
  void anExtendedClaimHidesLonger() {
    confirm(1, "a");
    List<Handed> handed = deliver(first, "a");
    nanos += Duration.ofSeconds(5).toNanos();
    assertBreaks(
        AloRule.ALO_05, () -> model.extendFailed(handed, false, new IllegalStateException("why?")));
    model.extended(handed, nanos);
    nanos += Duration.ofSeconds(5).toNanos();
    assertBreaks(AloRule.ALO_05, () -> deliver(second, "a"));
    nanos += Duration.ofSeconds(2).toNanos();
    assertAllowed(() -> deliver(second, "a"));
    assertBreaks(AloRule.ALO_11, () -> model.extended(handed, nanos));
  }

  @Test
  void theOutcomesOfAnAckMustBeTrue() {
    confirm(1, "a", "b");
    List<Handed> handed = deliver(first, "a", "b");
    nanos += Duration.ofSeconds(5).toNanos();
    model.extended(handed.subList(1, 2), nanos);
    nanos += Duration.ofSeconds(2).toNanos(); // the claim on a may have ended
    assertBreaks(
        AloRule.ALO_11, () -> tell(model.give(handed), Outcome.CONFIRMED, Outcome.REJECTED));
    assertBreaks(AloRule.ALO_11, () -> tell(model.give(handed), Outcome.REJECTED));
  }

  @Test
  void whatAnAckRejectedMustComeAgain() {
    confirm(1, "a", "b");
    List<Handed> handed = deliver(first, "a", "b");
    nanos += Duration.ofSeconds(7).toNanos();
    GivenAck ack = model.give(handed);
    assertThat(model.missing()).isZero();
    tell(ack, Outcome.REJECTED, Outcome.CONFIRMED);
    assertThat(model.missing()).isEqualTo(1);
    assertThat(model.lost()).hasMessageContaining("s1's message 1");
    settle(handed); // given again, and done
    assertThat(model.missing()).isZero();
  }

  private void tell(GivenAck ack, Outcome... outcomes) {
    model.ackFailed(ack, false, new AckFailedException("for a reason", List.of(outcomes), null));
  }

  private void confirm(int sender, String... bodies) {
    model.confirmed(attempt(sender, bodies));
  }

  private void fail(int sender, boolean excused, List<Outcome> outcomes, String... bodies) {
    model.failed(
        attempt(sender, bodies), outcomes, excused, new IllegalStateException("for a reason"));
  }

  private Sent attempt(int sender, String... bodies) {
    return model.attempt(
        sender, Arrays.stream(bodies).map(b -> new Message(b.getBytes(US_ASCII))).toList());
  }

  private List<Handed> deliver(Holder holder, String... bodies) {
    return deliver(
        holder,
        Arrays.stream(bodies)
            .map(body -> new Message(body.getBytes(US_ASCII)))
            .toArray(Message[]::new));
  }

  private List<Handed> deliver(Holder holder, Message... messages) {
    return model.delivered(
        holder, Arrays.stream(messages).map(message -> (Delivery) () -> message).toList(), nanos);
  }

  private void settle(List<Handed> handed) {
    model.acked(model.give(handed));
  }

  private static void assertAllowed(ThrowingCallable call) {
    assertThatCode(call).doesNotThrowAnyException();
  }

  private static void assertBreaks(AloRule rule, ThrowingCallable call) {
    assertThatExceptionOfType(NotAllowed.class)
        .isThrownBy(call)
        .satisfies(notAllowed -> assertThat(notAllowed.rule()).isEqualTo(rule));
  }
}
