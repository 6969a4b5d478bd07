package org.mqproof.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Traits;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.PendingBatch;

class ConfirmsTest {

  private static final int LARGEST = 100;
  private static final MessageLimits LIMITS =
      MessageLimits.of(
          Traits.mode("m")
              .largestBodyBytes(LARGEST)
              .mostHeaders(1)
              .largestHeadersBytes(LARGEST)
              .build());
  private static final Duration FIRST_CONFIRM_BOUND = Duration.ofNanos(500);

  private final Confirms confirms = confirms(100);

  private static Confirms confirms(int window) {
    return new Confirms(window, REJECTED, FIRST_CONFIRM_BOUND);
  }

  private static PendingBatch batch(String... bodies) {
    return batch(Long.MAX_VALUE / 2, bodies);
  }

  private static PendingBatch batch(long deadlineNanos, String... bodies) {
    List<Message> messages =
        Arrays.stream(bodies).map(body -> new Message(body.getBytes(UTF_8))).toList();
    return batch(deadlineNanos, messages);
  }

  private static PendingBatch batch(long deadlineNanos, List<Message> messages) {
    return new PendingBatch("RabbitMQ at h:1", Errors::reason, messages, LIMITS, deadlineNanos);
  }

  private PendingBatch registered(String... bodies) {
    PendingBatch batch = batch(bodies);
    assertThat(confirms.register(batch, 0)).isEqualTo(bodies.length);
    return batch;
  }

  private static List<Outcome> outcomes(PendingBatch batch) {
    assertThat(batch.done()).isDone();
    Throwable failure = batch.done().handle((nothing, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(SendFailedException.class);
    return ((SendFailedException) failure).outcomes();
  }

  private static MqException cause() {
    return new MqException("because");
  }

  @Test
  void aConfirmOfOneIsForThatOne() {
    PendingBatch batch = registered("a", "b", "c");
    confirms.confirmed(2, false);
    confirms.lost(cause());
    assertThat(outcomes(batch)).containsExactly(UNKNOWN, CONFIRMED, UNKNOWN);
  }

  @Test
  void aConfirmOfSeveralEndsWithItsNumber() {
    PendingBatch first = registered("a", "b");
    PendingBatch second = registered("c", "d");
    confirms.confirmed(3, true);
    assertThat(first.done()).isCompleted();
    assertThat(second.done()).isNotDone();
    confirms.lost(cause());
    assertThat(outcomes(second)).containsExactly(CONFIRMED, UNKNOWN);
  }

  @Test
  void aConfirmOfNumberZeroIsForAll() {
    PendingBatch batch = registered("a", "b");
    confirms.confirmed(0, true);
    assertThat(batch.done()).isCompleted();
  }

  @Test
  void aConfirmOfSeveralLeavesWhatWasNackedBefore() {
    PendingBatch batch = registered("a", "b", "c");
    confirms.refused(2, false);
    confirms.confirmed(3, true);
    assertThat(outcomes(batch)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  @Test
  void aNackIsARejection() {
    PendingBatch batch = registered("a");
    confirms.refused(1, false);
    assertThat(outcomes(batch)).containsExactly(REJECTED);
  }

  @Test
  void aNackOfSeveralRejectsThemAll() {
    PendingBatch first = registered("a");
    PendingBatch second = registered("b", "c");
    confirms.refused(2, true);
    confirms.confirmed(3, false);
    assertThat(outcomes(first)).containsExactly(REJECTED);
    assertThat(outcomes(second)).containsExactly(REJECTED, CONFIRMED);
  }

  /** Its process may have died with its node, and with the message on that node's disk. */
  @Test
  void aNackOfAClassicQueueTellsNothing() {
    Confirms classic = new Confirms(10, UNKNOWN, FIRST_CONFIRM_BOUND);
    PendingBatch batch = batch("a");
    classic.register(batch, 0);
    classic.refused(1, false);
    assertThat(outcomes(batch)).containsExactly(UNKNOWN);
  }

  @Test
  void aReturnedMessageIsRejectedAlthoughItsConfirmFollows() {
    PendingBatch batch = registered("a", "b", "c");
    confirms.returned("b".getBytes(UTF_8), Map.of(), cause());
    confirms.confirmed(3, true);
    assertThat(outcomes(batch)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  @Test
  void headersTellApartWhatHasTheSameBody() {
    byte[] body = "a".getBytes(UTF_8);
    PendingBatch batch =
        batch(
            Long.MAX_VALUE / 2,
            List.of(new Message(body), new Message(body, Map.of("n", "1")), new Message(body)));
    confirms.register(batch, 0);
    confirms.returned(body, Map.of("n", "1"), cause());
    confirms.confirmed(3, true);
    assertThat(outcomes(batch)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  /** Any of them may be the one that came back. */
  @Test
  void aReturnOfEqualMessagesLeavesThemUnknown() {
    PendingBatch batch = registered("a", "b", "a");
    confirms.returned("a".getBytes(UTF_8), Map.of(), cause());
    PendingBatch later = registered("a");
    confirms.returned("a".getBytes(UTF_8), Map.of(), cause());
    confirms.confirmed(4, true);
    assertThat(outcomes(batch)).containsExactly(UNKNOWN, CONFIRMED, UNKNOWN);
    assertThat(outcomes(later)).containsExactly(UNKNOWN);
  }

  /** The bodies are the caller's again then, and it may have sent them anew. */
  @Test
  void aReturnIsNotTakenForAMessageThatWasConfirmed() {
    PendingBatch givenUp = registered("a");
    confirms.abandon(givenUp, cause());
    PendingBatch again = registered("a");
    confirms.confirmed(1, false);
    confirms.returned("a".getBytes(UTF_8), Map.of(), cause());
    confirms.confirmed(2, false);
    assertThat(outcomes(again)).containsExactly(REJECTED);
  }

  @Test
  void aReturnMayBeThatOfAMessageGivenUpThatStillWaits() {
    PendingBatch givenUp = registered("a");
    confirms.abandon(givenUp, cause());
    PendingBatch again = registered("a");
    confirms.returned("a".getBytes(UTF_8), Map.of(), cause());
    confirms.confirmed(2, true);
    assertThat(outcomes(givenUp)).containsExactly(UNKNOWN);
    assertThat(outcomes(again)).containsExactly(UNKNOWN);
  }

  @Test
  void aLostChannelLeavesTheRestUnknown() {
    PendingBatch first = registered("a", "b");
    confirms.confirmed(1, false);
    confirms.lost(new IOException("gone"));
    assertThat(outcomes(first)).containsExactly(CONFIRMED, UNKNOWN);
    confirms.confirmed(2, false);
    assertThat(outcomes(first)).containsExactly(CONFIRMED, UNKNOWN);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> confirms.register(batch("c"), 0))
        .withMessage("the channel is lost: gone");
  }

  @Test
  void whatWasNotHandedOverWhenTheChannelWasLostIsRejected() {
    Confirms small = confirms(2);
    PendingBatch batch = batch("a", "b", "c");
    assertThat(small.register(batch, 0)).isEqualTo(2);
    small.lost(cause());
    assertThat(batch.done()).isNotDone();
    small.reject(batch, 2, 3, cause());
    assertThat(outcomes(batch)).containsExactly(UNKNOWN, UNKNOWN, REJECTED);
  }

  @Test
  void aConfirmThatComesTooLateChangesNothing() {
    PendingBatch batch = registered("a", "b");
    confirms.abandon(batch, cause());
    confirms.confirmed(2, true);
    assertThat(outcomes(batch)).containsExactly(UNKNOWN, UNKNOWN);
  }

  @Test
  void onlyBatchesWhoseDeadlineHasPassedExpire() {
    PendingBatch late = batch(1_000, "a");
    PendingBatch inTime = batch(2_000, "b");
    confirms.register(late, 0);
    confirms.register(inTime, 0);
    confirms.expire(1_500);
    assertThat(outcomes(late)).containsExactly(UNKNOWN);
    assertThat(inTime.done()).isNotDone();
  }

  @Test
  void theWindowBoundsWhatWaitsAndOpensFromItsOldEnd() {
    Confirms small = confirms(3);
    PendingBatch batch = batch("a", "b", "c", "d", "e");
    assertThat(small.register(batch, 0)).isEqualTo(3);
    small.confirmed(2, false);
    assertThat(small.register(batch, 3)).isEqualTo(3);
    small.confirmed(1, false);
    assertThat(small.register(batch, 3)).isEqualTo(5);
    small.confirmed(5, true);
    assertThat(batch.done()).isCompleted();
  }

  @Test
  void aBodyTooLargeTakesNoNumber() {
    PendingBatch batch = batch("a", "x".repeat(LARGEST + 1), "c");
    assertThat(batch.rejectRefused()).isFalse();
    assertThat(confirms.register(batch, 0)).isEqualTo(3);
    assertThat(confirms.last()).isEqualTo(2);
    confirms.confirmed(2, true);
    assertThat(outcomes(batch)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  @Test
  void numbersGoOnBeyondTheWindowManyTimes() {
    for (int i = 0; i < 1_000; i++) {
      PendingBatch batch = registered("a" + i, "b" + i, "c" + i);
      confirms.confirmed(3L * i + 2, false);
      confirms.confirmed(3L * i + 3, true);
      assertThat(batch.done()).isCompleted();
    }
  }

  @Test
  void waitingEndsWithRoomWithTheDeadlineOrWithTheChannel() throws Exception {
    PendingBatch batch = registered("a", "b");
    assertThat(confirms.awaitAtMost(1, System.nanoTime() + 1_000_000)).isFalse();
    confirms.confirmed(1, false);
    assertThat(confirms.awaitAtMost(1, System.nanoTime())).isTrue();
    confirms.lost(cause());
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> confirms.awaitAtMost(0, System.nanoTime()));
    assertThat(outcomes(batch)).containsExactly(CONFIRMED, UNKNOWN);
  }

  @Test
  void whoWaitsIsWokenByTheConfirmThatMakesRoom() throws Exception {
    PendingBatch batch = registered("a", "b", "c", "d");
    CompletableFuture<Boolean> half = waitFor(2);
    CompletableFuture<Boolean> none = waitFor(0);
    confirms.confirmed(1, false);
    assertThat(half).isNotDone();
    confirms.confirmed(2, false);
    assertThat(half.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(none).isNotDone();
    confirms.confirmed(4, true);
    assertThat(none.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(batch.done()).isCompleted();
  }

  private CompletableFuture<Boolean> waitFor(long waiting) {
    return whileItWaits(deadline -> confirms.awaitAtMost(waiting, deadline));
  }

  private CompletableFuture<Boolean> awaitEnded() {
    return whileItWaits(
        deadline -> {
          confirms.awaitEnded(deadline);
          return System.nanoTime() - deadline < 0;
        });
  }

  /** A wait until a deadline; says whether it ended before. */
  private interface Wait {

    boolean until(long deadlineNanos) throws InterruptedException;
  }

  /** Returns when another thread waits. */
  private static CompletableFuture<Boolean> whileItWaits(Wait wait) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                ended.complete(wait.until(System.nanoTime() + TimeUnit.MINUTES.toNanos(1)));
              } catch (InterruptedException e) {
                ended.completeExceptionally(e);
              }
            });
    waiter.setDaemon(true);
    waiter.start();
    while (waiter.getState() != Thread.State.TIMED_WAITING && waiter.isAlive()) {
      Thread.onSpinWait();
    }
    return ended;
  }

  /** Its channel may wait for a leader that is no more, and would let the next one wait too. */
  @Test
  void aChannelThatDidNotConfirmInTimeIsNotUsedAgain() {
    PendingBatch batch = registered("a");
    assertThat(confirms.isSound()).isTrue();
    confirms.abandon(batch, cause());
    assertThat(confirms.isSound()).isFalse();

    Confirms other = confirms(10);
    other.register(batch(1_000, "a"), 0);
    other.expire(500);
    assertThat(other.isSound()).isTrue();
    other.expire(1_500);
    assertThat(other.isSound()).isFalse();
  }

  /** It may wait for the leader that its queue had before, and longer than any batch does. */
  @Test
  void whatAChannelThatNeverConfirmedHasUnderWayExpiresEarly() {
    PendingBatch first = registered("a", "b");
    confirms.handedOver(1_000);
    PendingBatch second = registered("c");
    confirms.handedOver(1_400);
    confirms.refused(1, false); // proves nothing: it may refuse because it found no leader
    confirms.expire(1_500);
    assertThat(first.done()).isNotDone();
    confirms.expire(1_501);
    assertThat(outcomes(first)).containsExactly(REJECTED, UNKNOWN);
    assertThat(outcomes(second)).containsExactly(UNKNOWN);
    assertThat(confirms.isSound()).isFalse();
  }

  @Test
  void aChannelThatConfirmedGivesEachBatchItsWholeTime() {
    PendingBatch batch = registered("a", "b");
    confirms.handedOver(1_000);
    confirms.confirmed(1, false);
    confirms.expire(1_501);
    assertThat(batch.done()).isNotDone();
    assertThat(confirms.isSound()).isTrue();
  }

  @Test
  void nobodyWaitsForTheAnswersToABatchThatWasGivenUp() throws Exception {
    PendingBatch batch = registered("a", "b");
    CompletableFuture<Boolean> ended = awaitEnded();
    confirms.confirmed(1, false);
    assertThat(ended).isNotDone();
    confirms.abandon(batch, cause());
    assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
    PendingBatch next = registered("c");
    CompletableFuture<Boolean> nextEnded = awaitEnded();
    confirms.confirmed(3, false);
    assertThat(nextEnded.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(next.done()).isCompleted();
  }

  @Test
  void aLostChannelIsNotUsedAgain() {
    confirms.lost(cause());
    assertThat(confirms.isSound()).isFalse();
  }
}
