package org.mqproof.eventstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;

class ClaimsTest {

  private static final long LIFE_NANOS = 1_000;
  private static final long FRESH_NANOS = 500;
  private static final long MARGIN_NANOS = 100;

  private final AtomicLong clock = new AtomicLong(-500); // nanoTime may be negative
  private final List<List<EventId>> sent = new ArrayList<>();
  private final List<List<EventId>> givenBack = new ArrayList<>();
  private final Claims claims = claims();
  private final int subscription = claims.begin();

  private Claims claims() {
    return new Claims(
        2,
        LIFE_NANOS,
        FRESH_NANOS,
        MARGIN_NANOS,
        clock::get,
        new Claims.Writer() {
          @Override
          public void ack(List<EventStoreDelivery> deliveries) {
            sent.add(ids(deliveries));
          }

          @Override
          public void giveBack(List<EventStoreDelivery> deliveries) {
            givenBack.add(ids(deliveries));
          }
        });
  }

  private static List<EventId> ids(List<EventStoreDelivery> deliveries) {
    return deliveries.stream().map(EventStoreDelivery::id).toList();
  }

  private static EventId id(int number) {
    return new EventId(0, number);
  }

  private List<Delivery> arrive(int... numbers) throws InterruptedException {
    for (int number : numbers) {
      claims.arrived(subscription, id(number), new byte[] {(byte) number});
    }
    List<Delivery> got = claims.take(100, 0);
    assertThat(got).hasSize(numbers.length);
    return got;
  }

  private Claims.Round round() {
    return Objects.requireNonNull(claims.nextRound());
  }

  @Test
  void anAckCompletesWhenTheServerCountsIt() throws Exception {
    List<Delivery> got = arrive(1, 2, 3);
    CompletableFuture<Void> ack = claims.ack(got);
    Claims.Round round = round();
    assertThat(sent).containsExactly(List.of(id(1), id(2)), List.of(id(3)));
    assertThat(claims.settled(round, 2)).isFalse();
    assertThat(claims.settled(round, -1)).isFalse();
    assertThat(ack).isNotDone();
    assertThat(claims.settled(round, 3)).isTrue();
    assertThat(ack).isCompleted();
  }

  @Test
  void acksAreGatheredWhileARoundIsUnderWay() throws Exception {
    List<Delivery> got = arrive(1, 2, 3, 4);
    CompletableFuture<Void> first = claims.ack(got.subList(0, 1));
    Claims.Round round = round();
    CompletableFuture<Void> second = claims.ack(got.subList(1, 2));
    assertThat(claims.nextRound()).isNull();
    assertThat(sent).hasSize(1); // fewer than a batch wait
    CompletableFuture<Void> third = claims.ack(got.subList(2, 3));
    assertThat(claims.nextRound()).isNull();
    assertThat(sent).endsWith(List.of(id(2), id(3)));
    assertThat(claims.settled(round, 1)).isTrue();
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
    Claims.Round next = round();
    assertThat(claims.settled(next, 3)).isTrue();
    assertThat(second).isCompleted();
    assertThat(third).isCompleted();
    assertThat(sent).hasSize(2);
  }

  /** The server counts the end of a claim as it counts an ack. */
  @Test
  void theEndOfAClaimIsNotTakenForAnAck() throws Exception {
    List<Delivery> got = arrive(1, 2);
    clock.addAndGet(LIFE_NANOS / 2);
    List<Delivery> later = arrive(3);
    clock.addAndGet(LIFE_NANOS / 2); // ends the claims of 1 and 2
    CompletableFuture<Void> ack = claims.ack(later);
    Claims.Round round = round();
    assertThat(claims.settled(round, 2)).isFalse();
    assertThat(ack).isNotDone();
    assertThat(claims.settled(round, 3)).isTrue();
    assertThat(ack).isCompleted();
    assertThat(got).hasSize(2);
  }

  @Test
  void whatIsGivenBackIsCountedLikeAcks() throws Exception {
    List<Delivery> got = arrive(1, 2, 3, 4);
    CompletableFuture<Void> ack = claims.ack(got.subList(0, 1));
    assertThat(claims.settled(round(), 1)).isTrue();
    assertThat(ack).isCompleted();
    Claims.Round round = Objects.requireNonNull(claims.giveBack());
    assertThat(givenBack).containsExactly(List.of(id(2), id(3)), List.of(id(4)));
    assertThat(claims.settled(round, 3)).isFalse();
    assertThat(claims.awaitIdle(System.nanoTime())).isFalse();
    assertThat(claims.settled(round, 4)).isTrue();
    assertThat(claims.awaitIdle(System.nanoTime())).isTrue();
  }

  /** The server hands them over again, to whoever is there: here to the one that is stuck. */
  @Test
  void whoLetsItsClaimsEndAndDoesNotReceiveLapses() throws Exception {
    List<Delivery> got = arrive(1, 2);
    clock.addAndGet(LIFE_NANOS);
    claims.arrived(subscription, id(1), new byte[0]);
    assertThat(claims.lapse()).isFalse(); // not ended at the server yet
    clock.addAndGet(MARGIN_NANOS);
    assertThat(claims.lapse()).isTrue();
    assertThat(claims.hasLapsed()).isTrue();
    assertThat(claims.lapse()).isFalse();
    claims.arrived(subscription, id(3), new byte[0]);
    claims.ended(subscription, new MqException("cancelled"));
    assertThat(claims.ack(got)).isCompletedExceptionally();
    int next = claims.begin();
    assertThat(claims.hasLapsed()).isFalse();
    claims.arrived(subscription, id(4), new byte[0]);
    claims.arrived(next, id(5), new byte[] {5});
    assertThat(claims.take(10, 0))
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.message().body()).containsExactly(5));
  }

  @Test
  void whoReceivesOrHoldsAClaimDoesNotLapse() throws Exception {
    assertThat(arrive(1)).hasSize(1);
    clock.addAndGet(LIFE_NANOS);
    assertThat(claims.lapse()).isFalse();
    assertThat(arrive(2)).hasSize(1); // received after the first claim's end
    clock.addAndGet(MARGIN_NANOS);
    assertThat(claims.lapse()).isFalse();
    clock.addAndGet(LIFE_NANOS / 2);
    assertThat(claims.take(1, 0)).isEmpty();
    assertThat(claims.lapse()).isFalse();
  }

  @Test
  void anAckOfAnEndedClaimIsNotSentAndFails() throws Exception {
    List<Delivery> got = arrive(1);
    clock.addAndGet(LIFE_NANOS);
    got.addAll(arrive(2));
    CompletableFuture<Void> ack = claims.ack(got);
    Claims.Round round = round();
    assertThat(sent).containsExactly(List.of(id(2)));
    assertThat(claims.settled(round, 2)).isTrue();
    assertThatThrownBy(ack::join)
        .hasCauseInstanceOf(MqException.class)
        .hasMessageContaining("a claim had ended before its ack");
    assertThat(outcomes(ack)).containsExactly(Outcome.REJECTED, Outcome.CONFIRMED);
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> failed) {
    assertThat(failed).isCompletedExceptionally();
    Throwable failure = failed.handle((done, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(AckFailedException.class);
    return ((AckFailedException) failure).outcomes();
  }

  @Test
  void aClaimThatEndedInTheBufferIsNotHandedOut() throws Exception {
    claims.arrived(subscription, id(1), new byte[0]);
    clock.addAndGet(LIFE_NANOS);
    claims.arrived(subscription, id(2), new byte[] {2});
    assertThat(claims.take(10, 0))
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.message().body()).containsExactly(2));
  }

  @Test
  void whatIsNoMessageIsAckedAndNotHandedOut() throws Exception {
    claims.arrivedEmpty(subscription, id(1));
    assertThat(claims.take(10, 0)).isEmpty();
    Claims.Round round = round();
    assertThat(sent).containsExactly(List.of(id(1)));
    assertThat(claims.settled(round, 1)).isTrue();
    assertThat(claims.awaitIdle(System.nanoTime())).isTrue();
  }

  @Test
  void anAckIsSentOnce() throws Exception {
    List<Delivery> got = arrive(1, 2);
    CompletableFuture<Void> first = claims.ack(got.subList(0, 1));
    Claims.Round round = round();
    CompletableFuture<Void> again = claims.ack(got.subList(0, 1));
    assertThat(claims.settled(round, 1)).isTrue();
    assertThat(first).isCompleted();
    assertThat(claims.settled(round(), 1)).isTrue();
    assertThat(again).isCompleted();
    assertThat(claims.ack(got.subList(0, 1))).isCompleted();
    assertThat(sent).hasSize(1);
    assertThat(claims.giveBack()).isNotNull();
    assertThat(givenBack).containsExactly(List.of(id(2)));
  }

  @Test
  void anotherReceiversDeliveryIsRefused() throws Exception {
    Claims others = claims();
    others.arrived(others.begin(), id(9), new byte[0]);
    List<Delivery> mixed = new ArrayList<>(arrive(1));
    mixed.addAll(others.take(1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> claims.ack(mixed));
    assertThat(claims.nextRound()).isNull();
  }

  @Test
  void aLostSubscriptionFailsEveryAckAndEveryCall() throws Exception {
    List<Delivery> got = arrive(1, 2, 3);
    CompletableFuture<Void> underWay = claims.ack(got.subList(0, 1));
    Claims.Round round = round();
    CompletableFuture<Void> gathered = claims.ack(got.subList(1, 2));
    claims.fail(new MqException("gone"));
    assertThat(outcomes(underWay)).containsExactly(Outcome.UNKNOWN);
    assertThat(outcomes(gathered)).containsExactly(Outcome.UNKNOWN);
    assertThat(claims.settled(round, 1)).isTrue();
    assertThat(outcomes(claims.ack(got)))
        .containsExactly(Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.REJECTED);
    assertThatThrownBy(() -> claims.take(1, 0)).isInstanceOf(MqException.class).hasMessage("gone");
    assertThat(claims.giveBack()).isNull();
    assertThat(claims.awaitIdle(System.nanoTime())).isFalse();
  }

  @Test
  void aClosedOneRefusesCallsAndFinishesItsAcks() throws Exception {
    List<Delivery> got = arrive(1);
    CompletableFuture<Void> ack = claims.ack(got);
    Claims.Round round = round();
    claims.close();
    assertThatIllegalStateException().isThrownBy(() -> claims.take(1, 0));
    assertThatIllegalStateException().isThrownBy(() -> claims.ack(got));
    assertThat(claims.awaitIdle(System.nanoTime())).isFalse();
    assertThat(claims.settled(round, 1)).isTrue();
    assertThat(ack).isCompleted();
    assertThat(claims.awaitIdle(System.nanoTime())).isTrue();
  }

  @Test
  void whatWaitedTooLongIsGivenBackAndNotHandedOut() throws Exception {
    claims.arrived(subscription, id(1), new byte[0]);
    clock.addAndGet(LIFE_NANOS - FRESH_NANOS);
    assertThat(claims.gatherStale()).isFalse();
    claims.arrived(subscription, id(2), new byte[0]);
    clock.addAndGet(1);
    assertThat(claims.gatherStale()).isTrue();
    Claims.Round round = round();
    assertThat(givenBack).containsExactly(List.of(id(1)));
    assertThat(sent).isEmpty();
    assertThat(claims.take(10, 0)).hasSize(1);
    assertThat(claims.settled(round, 1)).isTrue();
    assertThat(claims.gatherStale()).isFalse();
  }
}
