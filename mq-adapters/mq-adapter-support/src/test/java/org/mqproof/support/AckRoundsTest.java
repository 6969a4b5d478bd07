package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;

class AckRoundsTest {

  private static final Duration NEVER = Duration.ofDays(1);

  private static final class Claimed extends ClaimedDelivery {
    private Claimed(AckRounds<?> owner) {
      super(owner, new Message(new byte[0]));
    }
  }

  /** What would run in other threads, until the test lets it. */
  private final Deque<Runnable> tasks = new ArrayDeque<>();

  private final Server settling = new Server();

  /** A server that knows which claims have ended. */
  private static final class Server implements AckRounds.Settling<Claimed> {

    private final List<Set<Claimed>> settled = new ArrayList<>();
    private final List<Set<Claimed>> freed = new ArrayList<>();
    private final Set<Claimed> ended = new HashSet<>();
    private final Set<Claimed> unanswered = new HashSet<>();
    private boolean broken;
    private boolean hungUp;

    @Override
    public Set<Claimed> settle(Collection<Claimed> deliveries) throws IOException {
      settled.add(Set.copyOf(deliveries));
      if (hungUp) {
        throw new IOException("hung up");
      }
      if (!unanswered.isEmpty()) {
        throw new AckRounds.PartlySettled("no answer", ended(deliveries), unanswered, null);
      }
      return ended(deliveries);
    }

    @Override
    public boolean free(Collection<Claimed> deliveries) {
      freed.add(Set.copyOf(deliveries));
      return ended(deliveries).size() < deliveries.size();
    }

    @Override
    public Set<Claimed> extend(Collection<Claimed> deliveries) {
      return ended(deliveries);
    }

    private Set<Claimed> ended(Collection<Claimed> deliveries) {
      if (broken) {
        throw new MqException("no answer");
      }
      Set<Claimed> notOurs = new HashSet<>(deliveries);
      notOurs.retainAll(ended);
      return notOurs;
    }
  }

  private AckRounds<Claimed> acks(Duration over) {
    return new AckRounds<>("here", Claimed.class, settling, tasks::add, over);
  }

  private static List<Claimed> held(AckRounds<Claimed> acks, int count) {
    List<Claimed> claimed = Stream.generate(() -> new Claimed(acks)).limit(count).toList();
    acks.hold(claimed);
    return claimed;
  }

  private void run() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void whatIsAckedDuringARoundGoesTogetherWithTheNext() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 3);

    CompletableFuture<Void> first = acks.ack(claimed.subList(0, 1));
    CompletableFuture<Void> second = acks.ack(claimed.subList(1, 2));
    CompletableFuture<Void> third = acks.ack(claimed);
    assertThat(tasks).hasSize(1);
    assertThat(List.of(first, second, third)).noneMatch(CompletableFuture::isDone);
    run();

    assertThat(settling.settled)
        .containsExactly(Set.of(claimed.get(0)), Set.of(claimed.get(1), claimed.get(2)));
    assertThat(List.of(first, second, third))
        .allMatch(ack -> ack.isDone() && !ack.isCompletedExceptionally());
    assertThat(acks.size()).isZero();
  }

  @Test
  void whatWasAckedBeforeIsDone() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 1);
    CompletableFuture<Void> unused = acks.ack(claimed);
    run();

    assertThat(acks.ack(claimed)).isCompletedWithValue(null);
    assertThat(tasks).isEmpty();
  }

  @Test
  void aFailedAckMayBeGivenAgain() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    settling.broken = true;
    CompletableFuture<Void> failed = acks.ack(claimed);
    run();
    assertThat(outcomes(failed)).containsExactly(Outcome.UNKNOWN, Outcome.UNKNOWN);
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(failed::get)
        .withMessageContaining("no answer (of 2 deliveries 0 confirmed, 0 rejected, 2 unknown)");

    settling.broken = false;
    CompletableFuture<Void> again = acks.ack(claimed);
    run();

    assertThat(again).isCompletedWithValue(null);
    assertThat(settling.settled).containsExactly(Set.copyOf(claimed), Set.copyOf(claimed));
  }

  @Test
  void ofAnAckThatHadSomeAnswersOnlyTheRestIsUnknownAndTriedAgain() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 3);
    settling.ended.add(claimed.get(0));
    settling.unanswered.add(claimed.get(1));
    CompletableFuture<Void> all = acks.ack(claimed);
    run();
    assertThat(outcomes(all)).containsExactly(Outcome.REJECTED, Outcome.UNKNOWN, Outcome.CONFIRMED);

    settling.unanswered.clear();
    CompletableFuture<Void> again = acks.ack(claimed);
    run();

    assertThat(outcomes(again))
        .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED, Outcome.CONFIRMED);
    assertThat(settling.settled).containsExactly(Set.copyOf(claimed), Set.of(claimed.get(1)));
  }

  @Test
  void aClaimThatHadEndedFailsItsAckEachTimeAndNoOther() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    settling.ended.add(claimed.get(0));
    CompletableFuture<Void> late = acks.ack(claimed.subList(0, 1));
    CompletableFuture<Void> inTime = acks.ack(claimed.subList(1, 2));
    run();

    for (CompletableFuture<Void> ack : List.of(late, acks.ack(claimed.subList(0, 1)))) {
      assertThat(outcomes(ack)).containsExactly(Outcome.REJECTED);
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(ack::get)
          .havingCause()
          .withMessageStartingWith("here: a claim had ended before the ack arrived (of 1 deliver");
    }
    assertThat(inTime).isCompletedWithValue(null);
  }

  @Test
  void aCallerThatCancelsItsFutureSpoilsNothing() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 1);
    assertThat(acks.ack(claimed).cancel(false)).isTrue();
    CompletableFuture<Void> second = acks.ack(claimed);
    run();

    assertThat(second).isCompletedWithValue(null);
    assertThat(settling.settled).hasSize(1);
  }

  @Test
  void theDeliveriesOfAnotherReceiverAreRefused() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> foreign = held(acks(NEVER), 1);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> acks.ack(foreign))
        .withMessageStartingWith("not delivered by this receiver");
  }

  @Test
  void onlyWhatNoAckIsUnderWayForIsGivenBack() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 3);
    CompletableFuture<Void> unused = acks.ack(claimed.subList(0, 1));

    assertThat(acks.take()).isEqualTo(claimed.subList(1, 3));
    assertThat(acks.take()).isEmpty();
  }

  /** Otherwise who never acks would keep every message for as long as the receiver lives. */
  @Test
  void whatIsOverIsForgotten() {
    AckRounds<Claimed> acks = acks(Duration.ZERO);
    for (int i = 0; i < 10; i++) {
      assertThat(held(acks, 2)).hasSize(2);
    }

    assertThat(acks.size()).isEqualTo(2);
  }

  @Test
  void closingGivesUpWhatHasNoAnswerInTime() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    CompletableFuture<Void> underWay = acks.ack(claimed.subList(0, 1));
    CompletableFuture<Void> gathering = acks.ack(claimed.subList(1, 2));

    acks.awaitIdle(System.nanoTime());

    assertThat(underWay).isNotDone();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(gathering::get)
        .havingCause()
        .withMessageStartingWith("here: the receiver was closed (of 1 deliver");
    run();
    assertThat(underWay).isCompletedWithValue(null);
  }

  @Test
  void anAckTellsTheOutcomeOfEachDeliveryInTheOrderGiven() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 4);
    CompletableFuture<Void> unused = acks.ack(claimed.subList(1, 2));
    unused = acks.release(claimed.subList(0, 1));
    run();
    settling.ended.add(claimed.get(3));
    CompletableFuture<Void> mixed = acks.ack(claimed);
    run();

    assertThat(outcomes(mixed))
        .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED, Outcome.CONFIRMED, Outcome.REJECTED);
  }

  @Test
  void anAckThatWaitsForAnEarlierRoundTellsTheFailureOfThat() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    CompletableFuture<Void> first = acks.ack(claimed.subList(0, 1));
    CompletableFuture<Void> both = acks.ack(claimed);
    settling.broken = true;
    tasks.remove().run();
    settling.broken = false;
    run();

    assertThat(outcomes(first)).containsExactly(Outcome.UNKNOWN);
    assertThat(outcomes(both)).containsExactly(Outcome.UNKNOWN, Outcome.CONFIRMED);
  }

  @Test
  void anExceptionOfTheClientFailsAnAckThatCanBeGivenAgain() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 1);
    settling.hungUp = true;
    CompletableFuture<Void> failed = acks.ack(claimed);
    run();
    settling.hungUp = false;
    CompletableFuture<Void> again = acks.ack(claimed);
    run();

    assertThat(outcomes(failed)).containsExactly(Outcome.UNKNOWN);
    assertThat(failed)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(AckFailedException.class)
        .withMessageContaining("here: cannot ack: hung up");
    assertThat(again).isCompletedWithValue(null);
  }

  @Test
  void whatIsReleasedIsGivenBackOnceAndNotSettled() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 3);
    CompletableFuture<Void> acked = acks.ack(claimed.subList(0, 1));
    CompletableFuture<Void> released = acks.release(claimed.subList(0, 2));
    CompletableFuture<Void> again = acks.release(claimed.subList(1, 2));
    assertThat(List.of(released, again)).noneMatch(CompletableFuture::isDone);
    assertThat(acks.size()).isEqualTo(2);
    run();

    assertThat(settling.freed).containsExactly(Set.of(claimed.get(1)));
    assertThat(List.of(acked, released, again, acks.release(claimed.subList(0, 2))))
        .allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
    assertThat(outcomes(acks.ack(claimed.subList(1, 2)))).containsExactly(Outcome.REJECTED);
    assertThat(acks.take()).containsExactly(claimed.get(2));
  }

  @Test
  void aReleaseThatFailedIsNotTakenForDone() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 1);
    settling.broken = true;
    CompletableFuture<Void> released = acks.release(claimed);
    run();

    for (CompletableFuture<Void> failed : List.of(released, acks.release(claimed))) {
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(failed::get)
          .havingCause()
          .isInstanceOf(MqException.class)
          .withMessage("here: cannot release a claim: no answer");
    }
  }

  @Test
  void closingWaitsForAReleaseUnderWay() {
    AckRounds<Claimed> acks = acks(NEVER);
    CompletableFuture<Void> released = acks.release(held(acks, 1));
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
    acks.awaitIdle(deadline);
    assertThat(System.nanoTime() - deadline).isNotNegative();
    run();
    acks.awaitIdle(System.nanoTime() + NEVER.toNanos());

    assertThat(released).isCompletedWithValue(null);
  }

  @Test
  void anExtendedClaimIsHeldAsIfItWereNew() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    CompletableFuture<Void> extended = acks.extend(claimed.subList(0, 1));
    assertThat(extended).isNotDone();
    run();

    assertThat(extended).isCompletedWithValue(null);
    assertThat(acks.take()).containsExactly(claimed.get(1), claimed.get(0));
    assertThat(claimed.get(0).sinceNanos).isGreaterThan(claimed.get(1).sinceNanos);
  }

  @Test
  void whatHadEndedCannotBeExtendedNorAcked() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    settling.ended.add(claimed.get(0));
    CompletableFuture<Void> late = acks.extend(claimed);
    run();

    for (CompletableFuture<Void> extension : List.of(late, acks.extend(claimed.subList(0, 1)))) {
      assertThat(extension).isDone();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(extension::get)
          .havingCause()
          .withMessage("here: a claim had ended before it was extended");
    }
    assertThat(outcomes(acks.ack(claimed.subList(0, 1)))).containsExactly(Outcome.REJECTED);
    assertThat(acks.take()).containsExactly(claimed.get(1));
  }

  @Test
  void whatIsDoneIsNotExtended() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    CompletableFuture<Void> unused = acks.ack(claimed.subList(0, 1));
    unused = acks.release(claimed.subList(1, 2));
    run();
    settling.ended.addAll(claimed);

    assertThat(acks.extend(claimed)).isCompletedWithValue(null);
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> failed) {
    assertThat(failed).isCompletedExceptionally();
    Throwable failure = failed.handle((nothing, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(AckFailedException.class);
    return ((AckFailedException) failure).outcomes();
  }
}
