package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.MqException;

class AckRoundsTest {

  private static final Duration NEVER = Duration.ofDays(1);

  private static final class Claimed extends ClaimedDelivery {
    private Claimed(AckRounds<?> owner) {
      super(owner, new Message(new byte[0]));
    }
  }

  /** What would run in other threads, until the test lets it. */
  private final Deque<Runnable> tasks = new ArrayDeque<>();

  private final List<Set<Claimed>> settled = new ArrayList<>();
  private final Set<Claimed> ended = new HashSet<>();
  private boolean broken;

  private Set<Claimed> settle(Collection<Claimed> deliveries) {
    if (broken) {
      throw new MqException("no answer");
    }
    settled.add(Set.copyOf(deliveries));
    Set<Claimed> notOurs = new HashSet<>(deliveries);
    notOurs.retainAll(ended);
    return notOurs;
  }

  private AckRounds<Claimed> acks(Duration over) {
    return new AckRounds<>("here", Claimed.class, this::settle, tasks::add, over);
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

    assertThat(settled)
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
    broken = true;
    CompletableFuture<Void> failed = acks.ack(claimed);
    run();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(failed::get)
        .havingCause()
        .isInstanceOf(MqException.class)
        .withMessage("no answer");

    broken = false;
    CompletableFuture<Void> again = acks.ack(claimed);
    run();

    assertThat(again).isCompletedWithValue(null);
    assertThat(settled).containsExactly(Set.copyOf(claimed));
  }

  @Test
  void aClaimThatHadEndedFailsItsAckEachTimeAndNoOther() {
    AckRounds<Claimed> acks = acks(NEVER);
    List<Claimed> claimed = held(acks, 2);
    ended.add(claimed.get(0));
    CompletableFuture<Void> late = acks.ack(claimed.subList(0, 1));
    CompletableFuture<Void> inTime = acks.ack(claimed.subList(1, 2));
    run();

    for (CompletableFuture<Void> ack : List.of(late, acks.ack(claimed.subList(0, 1)))) {
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(ack::get)
          .havingCause()
          .isInstanceOf(MqException.class)
          .withMessage("here: a claim had ended before the ack arrived");
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
    assertThat(settled).hasSize(1);
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
        .withMessage("here: the receiver was closed");
    run();
    assertThat(underWay).isCompletedWithValue(null);
  }
}
