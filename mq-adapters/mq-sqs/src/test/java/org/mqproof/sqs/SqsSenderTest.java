package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

class SqsSenderTest {

  private static final Map<String, String> SMALL =
      Map.of(
          "max.message.bytes",
          "1024",
          "requests",
          "2",
          "call.bound",
          "1s",
          "connect.bound",
          "100ms");

  private final FakeTransport service = new FakeTransport();
  private final SqsSender sender =
      new SqsSender(SqsSettingsTest.settings(SMALL), service, "q", "url of q", closed -> {});

  private static List<Message> messages(int count, int bytes) {
    return IntStream.range(0, count).mapToObj(i -> new Message(new byte[bytes])).toList();
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> sent) {
    CompletionException failure = catchThrowableOfType(CompletionException.class, sent::join);
    return ((SendFailedException) requireNonNull(failure.getCause())).outcomes();
  }

  private FakeTransport.Asked next() {
    return requireNonNull(service.sends.poll(), "no request is under way");
  }

  @Test
  void aBatchOfAnySizeGoesInRequestsOfTenSeveralAtATime() {
    CompletableFuture<Void> sent = sender.sendAsync(messages(25, 10));

    assertThat(service.sends).extracting(asked -> asked.texts().size()).containsExactly(10, 10);
    next().answerAll();
    assertThat(service.sends).extracting(asked -> asked.texts().size()).containsExactly(10, 5);
    next().answerAll();
    assertThat(sent).isNotDone();
    next().answerAll();
    assertThat(sent).isCompleted();
  }

  @Test
  void headersAreAttributesAndCountTowardsTheLimit() {
    Message with = new Message(new byte[300], Map.of("n", "x".repeat(200))); // 400 + 207 bytes
    CompletableFuture<Void> sent = sender.sendAsync(List.of(new Message(new byte[0]), with, with));

    assertThat(service.sends).extracting(asked -> asked.texts().size()).containsExactly(2, 1);
    assertThat(service.sends.element().entries().get(0))
        .isEqualTo(new Transport.Outgoing("=", Map.of()));
    assertThat(service.sends.element().entries().get(1))
        .extracting(entry -> ((Transport.Outgoing) entry).headers())
        .isEqualTo(with.headers());
    next().answerAll();
    next().answerAll();
    assertThat(sent).isCompleted();
  }

  @ParameterizedTest
  @ValueSource(strings = {"AWS.x", "amazon.x"})
  void aNameThatTheServiceRefusesIsRejectedAndTheOthersGo(String name) {
    CompletableFuture<Void> sent =
        sender.sendAsync(
            List.of(
                new Message(new byte[1], Map.of(name, "v")),
                new Message(new byte[1], Map.of("x.y", "v"))));
    next().answerAll();
    assertThat(outcomes(sent)).containsExactly(REJECTED, CONFIRMED);
  }

  @Test
  void aCancelledFutureChangesNothingElse() {
    CompletableFuture<Void> cancelled = sender.sendAsync(messages(1, 10));
    CompletableFuture<Void> other = sender.sendAsync(messages(1, 10));
    assertThat(cancelled.cancel(true)).isTrue();
    next().answerAll();
    next().answerAll();
    assertThat(other).isCompleted();
  }

  @Test
  void aRequestStaysBelowTheLimitInBytes() {
    var unused = sender.sendAsync(messages(5, 300)); // 400 characters each

    assertThat(service.sends).extracting(asked -> asked.texts().size()).containsExactly(2, 2);
  }

  @Test
  void whatComesWhileAllRequestsAreUnderWayIsGathered() {
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      sent.add(sender.sendAsync(messages(1, 10)));
    }
    next().answerAll();
    next().answerAll();

    assertThat(service.sends).extracting(asked -> asked.texts().size()).containsExactly(10);
    next().answerAll();
    assertThat(sent).allMatch(CompletableFuture::isDone);
  }

  @Test
  void aFailedEntryIsNotDroppedAndHarmsNoOther() {
    CompletableFuture<Void> sent = sender.sendAsync(messages(4, 10));

    next()
        .answer()
        .complete(
            Arrays.asList(
                null,
                RequestFailed.entry(true, "InvalidMessageContents", "not these characters"),
                RequestFailed.entry(false, "InternalError", null),
                new BatchAnswer(1).entries().get(0)));

    assertThat(outcomes(sent)).containsExactly(CONFIRMED, REJECTED, UNKNOWN, UNKNOWN);
    assertThat(sent)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("queue q")
        .withMessageContaining("InvalidMessageContents: not these characters");
  }

  @Test
  void aRefusedRequestIsRejectedAndALostAnswerIsUnknown() {
    CompletableFuture<Void> refused = sender.sendAsync(messages(2, 10));
    CompletableFuture<Void> broken = sender.sendAsync(messages(1, 10));
    IllegalStateException cause = new IllegalStateException("connection reset");

    next()
        .answer()
        .completeExceptionally(RequestFailed.answered(400, "NonExistentQueue", "gone", cause));
    next().answer().completeExceptionally(cause);

    assertThat(outcomes(refused)).containsExactly(REJECTED, REJECTED);
    assertThat(outcomes(broken)).containsExactly(UNKNOWN);
  }

  @Test
  void aClientThatHeardTheInterruptIsTranslated() throws Exception {
    FutureTask<@Nullable Void> sending =
        new FutureTask<>(
            () -> {
              sender.send(messages(1, 10));
              return null;
            });
    new Thread(sending, "sender").start();
    long start = System.nanoTime();
    while (service.sends.isEmpty() && System.nanoTime() - start < 30_000_000_000L) {
      Thread.onSpinWait();
    }
    next()
        .answer()
        .completeExceptionally(new IllegalStateException(null, new InterruptedException()));

    assertThat(sending)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void aServersErrorAndATimeoutTellNothing() {
    for (int status : new int[] {408, 500, 503}) {
      CompletableFuture<Void> sent = sender.sendAsync(messages(1, 10));
      next()
          .answer()
          .completeExceptionally(
              RequestFailed.answered(status, "Internal", null, new IllegalStateException()));
      assertThat(outcomes(sent)).containsExactly(UNKNOWN);
    }
  }

  @Test
  void aBodyThatIsNoTextIsRejectedAndTheOthersGo() {
    Map<String, String> text = new HashMap<>(SMALL);
    text.put("body", "text");
    SqsSender ofTexts =
        new SqsSender(SqsSettingsTest.settings(text), service, "q", "url of q", closed -> {});
    CompletableFuture<Void> sent =
        ofTexts.sendAsync(List.of(new Message("tea".getBytes(UTF_8)), new Message(new byte[1])));

    assertThat(service.sends.element().texts()).containsExactly("tea");
    next().answerAll();

    assertThat(outcomes(sent)).containsExactly(CONFIRMED, REJECTED);

    Message large = new Message("茶".repeat(200).getBytes(UTF_8)); // 600 of 1,024 bytes
    CompletableFuture<Void> two = ofTexts.sendAsync(List.of(large, large));
    assertThat(service.sends).extracting(asked -> asked.texts().size()).containsExactly(1, 1);
    next().answerAll();
    next().answerAll();
    assertThat(two).isCompleted();
  }

  @Test
  void aBodyTooLargeIsRejectedAndTheOthersGo() {
    List<Message> batch = new ArrayList<>(messages(2, 10));
    batch.add(1, new Message(new byte[724]));
    CompletableFuture<Void> sent = sender.sendAsync(batch);

    assertThat(service.sends.element().texts()).hasSize(2);
    next().answerAll();

    assertThat(outcomes(sent)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  @Test
  void whatIsNotAnsweredWhenTheSenderClosesIsUnknown() {
    CompletableFuture<Void> sent = sender.sendAsync(messages(1, 10));

    sender.close();

    assertThat(outcomes(sent)).containsExactly(UNKNOWN);
  }

  @Test
  void whatNeverWentOutBehindASilentServiceIsRejected() {
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      sent.add(sender.sendAsync(messages(1, 10))); // take both requests
    }
    sent.add(sender.sendAsync(messages(21, 10))); // fills what may wait
    CompletableFuture<Void> late = sender.sendAsync(messages(1, 10));

    assertThat(outcomes(late)).containsExactly(REJECTED);
    assertThat(sent).noneMatch(CompletableFuture::isDone);
  }
}
