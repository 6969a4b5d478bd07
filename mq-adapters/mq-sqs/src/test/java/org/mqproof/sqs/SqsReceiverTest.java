package org.mqproof.sqs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.MqException;

class SqsReceiverTest {

  private final FakeTransport service = new FakeTransport();
  private final List<CompletableFuture<?>> looseEnds = new ArrayList<>();
  private final SqsReceiver receiver =
      new SqsReceiver(
          SqsSettingsTest.settings(
              Map.of("claim.period", "1s", "call.bound", "2s", "connect.bound", "100ms")),
          service,
          "q",
          "url of q",
          closed -> {},
          looseEnds::add);

  private List<Delivery> receive(int count) throws InterruptedException {
    service.toReceive.add(CompletableFuture.completedFuture(taken(0, count)));
    return receiver.receive(10, Duration.ZERO);
  }

  private static List<Transport.Taken> taken(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(
            i ->
                new Transport.Taken(
                    "id" + i, "handle" + i, BodyText.BASE64.of(new byte[] {(byte) i})))
        .toList();
  }

  private static void awaitTheEndOfTheClaims() {
    long end = System.nanoTime() + Duration.ofMillis(1_050).toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void aLateAckIsNotSentAndFailsWhateverTheServiceWouldSay() throws Exception {
    List<Delivery> held = receive(2);
    awaitTheEndOfTheClaims();

    CompletableFuture<Void> late = receiver.ack(held);

    assertThat(late)
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(MqException.class)
        .withMessageContaining("a claim had ended");
    assertThat(service.deletes).isEmpty();
  }

  @Test
  void anAckThatIsAnsweredTooLateFails() throws Exception {
    List<Delivery> held = receive(1);
    CompletableFuture<Void> ack = receiver.ack(held);
    awaitTheEndOfTheClaims();

    service.deletes.element().answerAll();

    assertThat(ack).isCompletedExceptionally();
  }

  @Test
  void aFailedEntryFailsTheAckAndTheOthersAreSettled() throws Exception {
    List<Delivery> held = receive(3);
    CompletableFuture<Void> ack = receiver.ack(held);

    service
        .deletes
        .element()
        .answer()
        .complete(Arrays.asList(null, RequestFailed.entry(false, "InternalError", "x"), null));

    assertThat(ack).isCompletedExceptionally();
    receiver.close();
    assertThat(service.releases.element().texts()).containsExactly("handle1");
  }

  @Test
  void anAckIsSentOnceAndOneThatFailedAgain() throws Exception {
    List<Delivery> held = receive(1);
    CompletableFuture<Void> first = receiver.ack(held);
    CompletableFuture<Void> second = receiver.ack(List.of(held.get(0), held.get(0)));
    assertThat(service.deletes).hasSize(1);

    requireNonNull(service.deletes.poll())
        .answer()
        .completeExceptionally(new IllegalStateException("reset"));
    assertThat(List.of(first, second)).allMatch(CompletableFuture::isCompletedExceptionally);

    CompletableFuture<Void> third = receiver.ack(held);
    service.deletes.element().answerAll();
    assertThat(third).isCompleted();
    assertThat(receiver.ack(held)).isCompleted();
    assertThat(service.deletes).hasSize(1);
  }

  @Test
  void closeGivesBackWhatIsHeldAndNothingThatHasExpired() throws Exception {
    assertThat(receive(1)).hasSize(1);
    awaitTheEndOfTheClaims();
    service.toReceive.add(CompletableFuture.completedFuture(taken(1, 2)));
    assertThat(receiver.receive(10, Duration.ZERO)).hasSize(2);

    receiver.close();

    assertThat(service.releases).hasSize(1);
    assertThat(service.releases.element().texts()).containsExactly("handle1", "handle2");
  }

  @Test
  void whatAnInterruptedPollClaimsIsDeliveredByTheNextReceive() throws Exception {
    CompletableFuture<List<Transport.Taken>> poll = interruptedPoll();
    poll.complete(taken(0, 2));

    assertThat(receiver.receive(10, Duration.ZERO)).hasSize(2);
  }

  /** The SDK looks at the interrupt while it prepares the request, and fails it at once. */
  @Test
  void anInterruptThatFailsTheRequestIsToldAsOne() throws Exception {
    service.toReceive.add(
        CompletableFuture.failedFuture(
            RequestFailed.unknown("SdkClientException", new InterruptedException())));
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> receiver.receive(10, Duration.ZERO));
    service.toReceive.add(CompletableFuture.completedFuture(taken(0, 2)));
    assertThat(receiver.receive(10, Duration.ZERO)).hasSize(2);
  }

  @Test
  void whatAPollClaimsAfterTheCloseIsGivenBack() throws Exception {
    CompletableFuture<List<Transport.Taken>> poll = interruptedPoll();
    receiver.close();
    assertThat(looseEnds).singleElement().matches(end -> !end.isDone());

    poll.complete(taken(0, 2));

    assertThat(service.releases.element().texts()).containsExactly("handle0", "handle1");
    assertThat(looseEnds).singleElement().matches(CompletableFuture::isDone);
  }

  private CompletableFuture<List<Transport.Taken>> interruptedPoll() throws Exception {
    CompletableFuture<List<Transport.Taken>> poll = new CompletableFuture<>();
    service.toReceive.add(poll);
    Thread caller = Thread.currentThread();
    CompletableFuture<Void> interrupt =
        CompletableFuture.runAsync(
            () -> {
              while (caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
              }
              caller.interrupt();
            });
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> receiver.receive(10, Duration.ofSeconds(30)));
    interrupt.join();
    return poll;
  }

  @Test
  void aFullPollIsFollowedByTheRestAtOnceAndNeverByMoreThanMax() throws Exception {
    service.toReceive.add(CompletableFuture.completedFuture(taken(0, 10)));
    service.toReceive.add(CompletableFuture.completedFuture(taken(10, 10)));
    service.toReceive.add(CompletableFuture.completedFuture(taken(20, 4)));

    assertThat(receiver.receive(24, Duration.ZERO)).hasSize(24);
    assertThat(service.toReceive).isEmpty();
  }

  @Test
  void anErrorHidesNoMessageThatCameWithIt() throws Exception {
    service.toReceive.add(CompletableFuture.completedFuture(taken(0, 10)));
    service.toReceive.add(CompletableFuture.failedFuture(new IllegalStateException("reset")));

    assertThat(receiver.receive(20, Duration.ZERO)).hasSize(10);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(20, Duration.ZERO))
        .withMessageContaining("queue q")
        .withMessageContaining("reset");
    assertThat(receiver.receive(20, Duration.ZERO)).isEmpty();
  }

  @Test
  void aMessageOfAnotherProductIsToldAndNotGuessedAt() throws Exception {
    List<Transport.Taken> taken = new ArrayList<>(taken(0, 1));
    taken.add(new Transport.Taken("foreign", "handle9", "{\"order\": 17}"));
    service.toReceive.add(CompletableFuture.completedFuture(taken));

    assertThat(receiver.receive(10, Duration.ZERO)).hasSize(1);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(10, Duration.ZERO))
        .withMessageContaining("message foreign is no message of MqProof");
  }
}
