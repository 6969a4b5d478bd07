package org.mqproof.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Traits;

class GatheredSenderTest {

  private static final Duration BOUND = Duration.ofSeconds(2);
  private static final MessageLimits LIMITS =
      MessageLimits.of(
          Traits.mode("m").largestBodyBytes(10).mostHeaders(1).largestHeadersBytes(10).build());

  private final BlockingCalls calls = new BlockingCalls("test", "here", Causes::reason, BOUND);
  private final List<Message> stored = new CopyOnWriteArrayList<>();
  private final Semaphore turns = new Semaphore(0);
  private final GatheredSender sender =
      new GatheredSender("q", calls, LIMITS, this::store, closed -> {});

  private @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    turns.acquireUninterruptibly();
    stored.addAll(messages);
    Arrays.fill(outcomes, CONFIRMED);
    return null;
  }

  @AfterEach
  void end() {
    turns.release(1_000);
    sender.close();
    calls.close();
  }

  @Test
  void headersArriveWithACopyOfTheBody() throws Exception {
    turns.release();
    byte[] body = "abc".getBytes(UTF_8);
    sender.send(List.of(new Message(body, Map.of("k", "v"))));

    assertThat(stored).hasSize(1);
    assertThat(stored.get(0).headers()).containsExactly(Map.entry("k", "v"));
    assertThat(stored.get(0).body()).isEqualTo(body).isNotSameAs(body);
  }

  @Test
  void aMessageThatTheLimitsExcludeIsRejectedWithTheReasonAndHarmsNoOther() {
    turns.release();
    List<Message> batch =
        List.of(
            new Message(new byte[1]),
            new Message(new byte[1], Map.of("a", "1", "b", "2")),
            new Message(new byte[1]));

    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> sender.send(batch))
        .withMessageContaining("2 headers are too many, the most is 1")
        .satisfies(e -> assertThat(e.outcomes()).containsExactly(CONFIRMED, REJECTED, CONFIRMED));
    assertThat(stored).hasSize(2);
  }

  @Test
  void aBatchOfWhichNothingCanBeSentEndsAtOnce() {
    assertThat(sender.sendAsync(List.of(new Message(new byte[11])))).isCompletedExceptionally();
  }

  @Test
  void aCallerThatCancelsItsFutureSpoilsNothing() throws Exception {
    CompletableFuture<Void> cancelled = sender.sendAsync(List.of(new Message(new byte[1])));
    assertThat(cancelled.cancel(true)).isTrue();
    CompletableFuture<Void> second = sender.sendAsync(List.of(new Message(new byte[2])));
    turns.release(2);
    second.get(30, TimeUnit.SECONDS);
    sender.close();

    assertThat(stored).hasSize(2);
  }

  @Test
  void withoutAnAnswerTheOutcomeIsUnknownAndTheTraceShowsTheCaller() {
    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> sender.send(List.of(new Message(new byte[1]))))
        .withMessageStartingWith(
            "here, queue q: not every message was confirmed: no confirm within 2000 ms")
        .satisfies(e -> assertThat(e.outcomes()).containsExactly(UNKNOWN))
        .satisfies(
            e ->
                assertThat(e.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(getClass().getName())));
  }

  @Test
  void aFailureIsNotWrapped() {
    CompletableFuture<Void> failed = sender.sendAsync(List.of(new Message(new byte[1])));
    sender.expire(System.nanoTime() + TimeUnit.DAYS.toNanos(1));

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> failed.get(30, TimeUnit.SECONDS))
        .withCauseExactlyInstanceOf(SendFailedException.class);
    assertThat(failed.handle((done, failure) -> failure).join())
        .isExactlyInstanceOf(SendFailedException.class);
  }

  @Test
  void whoIsInterruptedWhileTheQueueHasNoRoomLearnsThatNothingWasSent() {
    Message[] many = new Message[10_000];
    Arrays.fill(many, new Message(new byte[0]));
    CompletableFuture<Void> first = sender.sendAsync(List.of(many));
    Thread.currentThread().interrupt();
    CompletableFuture<Void> second = sender.sendAsync(List.of(new Message(new byte[1])));
    assertThat(Thread.interrupted()).isTrue();

    assertThat(first).isNotDone();
    assertThat(second).isDone();
    assertThat(second.handle((done, failure) -> failure).join())
        .isInstanceOfSatisfying(
            SendFailedException.class, e -> assertThat(e.outcomes()).containsExactly(REJECTED));
  }
}
