package org.mqproof.sqs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;

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
                    "id" + i, "handle" + i, BodyText.BASE64.of(new byte[] {(byte) i}), Map.of(), 1))
        .toList();
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> ack) {
    Throwable failure = ack.handle((nothing, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(AckFailedException.class);
    return ((AckFailedException) failure).outcomes();
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
    assertThat(outcomes(late)).containsExactly(REJECTED, REJECTED);
    assertThat(service.deletes).isEmpty();
  }

  @Test
  void aReceiveThatWaitsWhileItsReceiverIsClosedSaysSo() throws Exception {
    CompletableFuture<List<Transport.Taken>> answer = new CompletableFuture<>();
    service.toReceive.add(answer);
    Thread caller = Thread.currentThread();
    Thread close =
        new Thread(
            () -> {
              while (caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
              }
              receiver.close();
              answer.complete(List.of());
            });
    close.start();

    assertThatIllegalStateException()
        .isThrownBy(() -> receiver.receive(10, Duration.ofSeconds(30)));
    close.join();
  }

  @Test
  void anAckThatIsAnsweredTooLateFails() throws Exception {
    List<Delivery> held = receive(1);
    CompletableFuture<Void> ack = receiver.ack(held);
    awaitTheEndOfTheClaims();

    service.deletes.element().answerAll();

    assertThat(outcomes(ack)).containsExactly(UNKNOWN);
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

    assertThat(outcomes(ack)).containsExactly(CONFIRMED, UNKNOWN, CONFIRMED);
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
  void whatIsReleasedIsGivenBackAndItsAckIsLeftOut() throws Exception {
    List<Delivery> held = receive(3);
    service.answersClaims = false;
    CompletableFuture<Void> released = receiver.release(held.subList(0, 2));
    assertThat(service.releases.element().entries())
        .isEqualTo(List.of(new Transport.Claim("handle0", 0), new Transport.Claim("handle1", 0)));
    assertThat(released).isNotDone();
    service.releases.element().answerAll();
    assertThat(released).isCompleted();
    assertThat(receiver.release(held.subList(0, 1))).isCompleted();
    assertThat(service.releases).hasSize(1);

    CompletableFuture<Void> ack = receiver.ack(held);
    assertThat(service.deletes.element().texts()).containsExactly("handle2");
    service.deletes.element().answerAll();
    assertThat(outcomes(ack)).containsExactly(REJECTED, REJECTED, CONFIRMED);
    receiver.close();
    assertThat(service.releases).as("nothing is held").hasSize(1);
  }

  @Test
  void aReleaseThatTheServiceRefusedFails() throws Exception {
    List<Delivery> held = receive(2);
    service.answersClaims = false;
    CompletableFuture<Void> released = receiver.release(held);
    service
        .releases
        .element()
        .answer()
        .complete(Arrays.asList(null, RequestFailed.entry(false, "InternalError", "x")));
    assertThat(released)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(MqException.class)
        .withMessageContaining("comes back after its claim: InternalError: x");
  }

  @Test
  void anExtendedClaimBeginsWithTheCall() throws Exception {
    List<Delivery> held = receive(2);
    long halfway = System.nanoTime() + Duration.ofMillis(600).toNanos();
    while (System.nanoTime() - halfway < 0) {
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(receiver.extend(held.subList(0, 1))).isCompleted();
    assertThat(service.releases.element().entries())
        .isEqualTo(List.of(new Transport.Claim("handle0", 1)));
    long afterTheFirstEnd = halfway + Duration.ofMillis(500).toNanos();
    while (System.nanoTime() - afterTheFirstEnd < 0) {
      LockSupport.parkNanos(10_000_000);
    }

    CompletableFuture<Void> ack = receiver.ack(held);
    service.deletes.element().answerAll();
    assertThat(outcomes(ack)).containsExactly(CONFIRMED, REJECTED);
    assertThat(receiver.extend(held.subList(0, 1))).as("it is acked").isCompleted();
    assertThat(receiver.extend(held.subList(1, 2))).as("it has ended").isCompletedExceptionally();
    assertThat(service.releases).hasSize(1);
  }

  @Test
  void aCancelledFutureHarmsNoOther() throws Exception {
    List<Delivery> held = receive(1);
    assertThat(receiver.ack(held).cancel(true)).isTrue();
    CompletableFuture<Void> other = receiver.ack(held);
    assertThat(service.deletes).hasSize(1);
    service.deletes.element().answerAll();
    assertThat(other).isCompleted();
  }

  @Test
  void attributesAndCountsOfTheServiceArrive() throws Exception {
    service.toReceive.add(
        CompletableFuture.completedFuture(
            List.of(new Transport.Taken("id", "handle", "AA", Map.of("n", "v"), 3))));
    Delivery delivery = receiver.receive(1, Duration.ZERO).get(0);
    assertThat(delivery.message().headers()).containsExactly(Map.entry("n", "v"));
    assertThat(delivery.attempt()).hasValue(3);
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
    taken.add(new Transport.Taken("foreign", "handle9", "{\"order\": 17}", Map.of(), 1));
    service.toReceive.add(CompletableFuture.completedFuture(taken));

    assertThat(receiver.receive(10, Duration.ZERO)).hasSize(1);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(10, Duration.ZERO))
        .withMessageContaining("message foreign is no message of MqProof");
  }
}
