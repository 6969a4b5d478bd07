package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;

class ClaimsTest {

  /** What the broker's channel knows: a tag it does not know is an error, as in RabbitMQ. */
  private final TreeSet<Long> outstanding = new TreeSet<>();

  private final List<String> frames = new ArrayList<>();
  private final Claims claims = newClaims();
  private long lastTag;

  private Claims newClaims() {
    return new Claims("RabbitMQ at h:1, queue q", 4, this::onAck);
  }

  private void onAck(long tag, boolean multiple) {
    frames.add(tag + (multiple ? " and before" : ""));
    assertThat(outstanding).as("delivery tags the broker knows").contains(tag);
    if (multiple) {
      outstanding.headSet(tag, true).clear();
    } else {
      outstanding.remove(tag);
    }
  }

  private static RabbitDelivery delivery(Claims owner, long tag) {
    return new RabbitDelivery(owner, tag, new Message(new byte[] {(byte) tag}), 0);
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> ack) {
    assertThat(ack).isCompletedExceptionally();
    Throwable failure = ack.handle((nothing, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(AckFailedException.class);
    return ((AckFailedException) failure).outcomes();
  }

  private List<Delivery> deliver(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      outstanding.add(++lastTag);
      claims.arrived(List.of(delivery(claims, lastTag)));
    }
    return claims.take(count, 0);
  }

  /** Sends the acks and lets the broker answer. */
  private void exchange() {
    for (Claims.Round round = claims.nextRound(); round != null; round = claims.nextRound()) {
      claims.answered(round);
    }
  }

  private Claims.Round startRound() {
    return Objects.requireNonNull(claims.nextRound());
  }

  /** For tests that look at the frames and not at the future. */
  private void ack(List<Delivery> deliveries) {
    CompletableFuture<Void> unused = claims.ack(deliveries);
  }

  private static List<Delivery> pick(List<Delivery> from, int... tags) {
    List<Delivery> picked = new ArrayList<>();
    for (int tag : tags) {
      picked.add(from.get(tag - 1));
    }
    return picked;
  }

  @Test
  void allFromTheOldestOnTakeOneAck() throws Exception {
    List<Delivery> held = deliver(5);
    CompletableFuture<Void> ack = claims.ack(pick(held, 3, 1, 2));
    assertThat(ack).isNotDone();
    exchange();
    assertThat(frames).containsExactly("3 and before");
    assertThat(outstanding).containsExactly(4L, 5L);
    assertThat(ack).isCompleted();
  }

  @Test
  void behindAnUnackedOneEachTakesItsOwn() throws Exception {
    List<Delivery> held = deliver(5);
    ack(pick(held, 3, 4, 1));
    exchange();
    assertThat(frames).containsExactly("1", "3", "4");
    assertThat(outstanding).containsExactly(2L, 5L);
  }

  /** 4 was acked before and the broker has forgotten it: it would take its number for an error. */
  @Test
  void anAckNamesNoTagThatWasAckedBefore() throws Exception {
    List<Delivery> held = deliver(5);
    ack(pick(held, 4));
    exchange();
    ack(pick(held, 1, 2, 3));
    exchange();
    assertThat(frames).containsExactly("4", "3 and before");
    assertThat(outstanding).containsExactly(5L);
  }

  /** What was prefetched and not received yet is claimed too, and not acked. */
  @Test
  void anAckStopsBeforeWhatIsPrefetched() throws Exception {
    List<Delivery> held = deliver(2);
    outstanding.add(++lastTag);
    claims.arrived(List.of(delivery(claims, lastTag)));
    ack(held);
    exchange();
    assertThat(outstanding).containsExactly(3L);
    assertThat(claims.take(1, 0)).hasSize(1);
  }

  @Test
  void acksGatherWhileARoundIsUnderWay() throws Exception {
    List<Delivery> held = deliver(10);
    ack(pick(held, 1));
    Claims.Round first = startRound();
    CompletableFuture<Void> second = claims.ack(pick(held, 2));
    assertThat(claims.nextRound()).isNull();
    ack(pick(held, 3));
    assertThat(claims.nextRound()).isNull();
    assertThat(frames).containsExactly("1");
    claims.answered(first);
    assertThat(second).as("its own round").isNotDone();
    exchange();
    assertThat(frames).containsExactly("1", "3 and before");
    assertThat(second).isCompleted();
  }

  @Test
  void aFullBatchOfAcksDoesNotWaitForTheRoundUnderWay() throws Exception {
    List<Delivery> held = deliver(10);
    ack(pick(held, 1));
    Claims.Round first = startRound();
    CompletableFuture<Void> second = claims.ack(pick(held, 2, 3, 4, 5));
    assertThat(claims.nextRound()).isNull();
    assertThat(frames).containsExactly("1", "5 and before");
    claims.answered(first);
    assertThat(second).as("written, but not answered").isNotDone();
    exchange();
    assertThat(second).isCompleted();
    assertThat(frames).as("nothing is written twice").hasSize(2);
  }

  @Test
  void ackingTwiceWritesOnceAndBothComplete() throws Exception {
    List<Delivery> held = deliver(3);
    CompletableFuture<Void> once = claims.ack(pick(held, 2, 2));
    CompletableFuture<Void> twice = claims.ack(pick(held, 2));
    exchange();
    assertThat(claims.ack(pick(held, 2))).isCompleted();
    assertThat(frames).containsExactly("2");
    assertThat(once).isCompleted();
    assertThat(twice).isCompleted();
  }

  @Test
  void anAckOfADeadChannelFailsAndWritesNothing() throws Exception {
    List<Delivery> held = deliver(3);
    CompletableFuture<Void> settled = claims.ack(pick(held, 1));
    exchange();
    CompletableFuture<Void> underWay = claims.ack(pick(held, 2));
    Claims.Round round = startRound();
    int written = frames.size();
    claims.fail(new MqException("the channel is gone"));
    claims.answered(round);
    CompletableFuture<Void> late = claims.ack(pick(held, 3));
    assertThat(claims.nextRound()).isNull();
    assertThat(frames).hasSize(written);
    assertThat(settled).isCompleted();
    assertThat(outcomes(underWay)).containsExactly(UNKNOWN);
    assertThat(outcomes(late)).containsExactly(REJECTED);
    assertThat(claims.ack(pick(held, 1))).as("settled before").isCompleted();
    assertThat(outcomes(claims.ack(pick(held, 3, 2, 1))))
        .containsExactly(REJECTED, UNKNOWN, CONFIRMED);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> claims.take(1, 0))
        .withMessage("the channel is gone");
  }

  @Test
  void whatIsReleasedComesAgainBeforeAnythingNewerAndIsNotAcked() throws Exception {
    List<Delivery> held = deliver(5);
    outstanding.add(++lastTag);
    claims.arrived(List.of(delivery(claims, lastTag)));
    claims.release(pick(held, 4));
    claims.release(pick(held, 2));
    CompletableFuture<Void> ack = claims.ack(pick(held, 1, 3, 5));
    exchange();
    assertThat(frames).containsExactly("1", "3", "5");
    assertThat(ack).isCompleted();
    List<Delivery> again = claims.take(10, 0);
    assertThat(again).extracting(d -> ((RabbitDelivery) d).tag()).containsExactly(2L, 4L, 6L);
    ack(again);
    exchange();
    assertThat(frames).containsExactly("1", "3", "5", "6 and before");
    assertThat(outstanding).isEmpty();
  }

  @Test
  void anAckOfAReleasedDeliveryIsLeftOut() throws Exception {
    List<Delivery> held = deliver(3);
    claims.release(pick(held, 2));
    CompletableFuture<Void> ack = claims.ack(held);
    exchange();
    assertThat(outcomes(ack)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
    assertThat(outcomes(claims.ack(pick(held, 1, 2)))).containsExactly(CONFIRMED, REJECTED);
    assertThat(frames).containsExactly("1", "3");
    assertThat(outstanding).containsExactly(2L);
  }

  @Test
  void aReleaseOfWhatIsAckedOrReleasedIsLeftOut() throws Exception {
    List<Delivery> held = deliver(2);
    ack(pick(held, 1));
    exchange();
    claims.release(held);
    claims.release(held);
    assertThat(claims.take(10, 0)).hasSize(1);
    claims.release(held);
    assertThat(claims.take(10, 0)).isEmpty();
  }

  @Test
  void whatIsReleasedGoesWithTheChannel() throws Exception {
    List<Delivery> held = deliver(2);
    claims.release(pick(held, 1));
    claims.fail(new MqException("the channel is gone"));
    assertThatExceptionOfType(MqException.class).isThrownBy(() -> claims.take(1, 0));
    assertThat(outcomes(claims.ack(held))).containsExactly(REJECTED, REJECTED);
  }

  @Test
  void nobodysCancelledFutureHarmsAnotherAck() throws Exception {
    List<Delivery> held = deliver(3);
    CompletableFuture<Void> cancelled = claims.ack(pick(held, 1));
    CompletableFuture<Void> other = claims.ack(pick(held, 2));
    assertThat(cancelled.cancel(true)).isTrue();
    exchange();
    assertThat(other).isCompleted();
    assertThat(outstanding).containsExactly(3L);
    assertThat(claims.ack(pick(held, 1))).as("it was acked all the same").isCompleted();
  }

  /** The same number on the channel of a successor would ack another message. */
  @Test
  void anAckOfAnotherChannelsDeliveryIsRefused() throws Exception {
    List<Delivery> held = deliver(3);
    Claims successor = newClaims();
    successor.arrived(List.of(delivery(successor, 1)));
    assertThatIllegalArgumentException().isThrownBy(() -> successor.ack(held));
    assertThat(successor.nextRound()).isNull();
    assertThat(frames).isEmpty();
  }

  @Test
  void aClosedReceiverRefusesCallsAndFinishesItsAcks() throws Exception {
    List<Delivery> held = deliver(3);
    CompletableFuture<Void> ack = claims.ack(pick(held, 1));
    claims.close();
    assertThatIllegalStateException().isThrownBy(() -> claims.take(1, 0));
    assertThatIllegalStateException().isThrownBy(() -> claims.ack(held));
    assertThat(claims.awaitIdle(System.nanoTime())).isFalse();
    exchange();
    assertThat(ack).isCompleted();
    assertThat(claims.awaitIdle(System.nanoTime())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void theBrokerNeverLosesWhatWasNotAcked(long seed) throws Exception {
    Random random = new Random(seed);
    List<Delivery> unacked = new ArrayList<>();
    TreeSet<Long> unackedTags = new TreeSet<>();
    Claims.Round underWay = null;
    for (int step = 0; step < 2_000; step++) {
      switch (random.nextInt(5)) {
        case 0 -> {
          for (Delivery delivery : deliver(random.nextInt(5))) {
            unacked.add(delivery);
            unackedTags.add(((RabbitDelivery) delivery).tag());
          }
        }
        case 1 -> {
          List<Delivery> some = new ArrayList<>();
          for (int i = random.nextInt(6); i > 0 && !unacked.isEmpty(); i--) {
            // Mostly from the old end, as receivers do.
            int index = Math.min(unacked.size() - 1, (int) (random.nextDouble() * 4));
            Delivery delivery = unacked.remove(index);
            some.add(delivery);
            unackedTags.remove(((RabbitDelivery) delivery).tag());
          }
          ack(some);
        }
        case 3 -> {
          if (!unacked.isEmpty()) {
            claims.release(List.of(unacked.remove(random.nextInt(Math.min(4, unacked.size())))));
            unacked.addAll(0, claims.take(1, 0));
          }
        }
        default -> {
          if (underWay != null) {
            claims.answered(underWay);
            underWay = null;
          }
        }
      }
      assertThat(outstanding).containsAll(unackedTags);
    }
    if (underWay != null) {
      claims.answered(underWay);
    }
    exchange();
    assertThat(outstanding).isEqualTo(unackedTags);
  }
}
