package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Traits;

class BatchOutcomeTest {

  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final PendingBatch batch =
      new PendingBatch(
          "here",
          failure -> failure.getClass().getSimpleName(),
          List.of(new Message(new byte[1]), new Message(new byte[1])),
          MessageLimits.of(Traits.mode("m").build()),
          0);

  private void giveUp(TimeoutException late) {
    assertThat(batch.abandon(late)).isTrue();
    batch.complete();
  }

  @Test
  void aBatchThatIsConfirmedReturns() throws Exception {
    assertThat(batch.settle(0, Outcome.CONFIRMED, null)).isFalse();
    assertThat(batch.settle(1, Outcome.CONFIRMED, null)).isTrue();
    batch.complete();

    BatchOutcome.await(batch.done(), LONG_NANOS, this::giveUp);
    BatchOutcome.awaitEnd(batch.done());
  }

  @Test
  void aBatchWithoutAnEndInTimeIsGivenUp() {
    assertThat(batch.settle(1, Outcome.CONFIRMED, null)).isFalse();

    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> BatchOutcome.await(batch.done(), -1, this::giveUp))
        .withMessage(
            "here: not every message was confirmed: TimeoutException"
                + " (of 2 messages 1 confirmed, 0 rejected, 1 unknown)")
        .satisfies(
            e -> assertThat(e.outcomes()).containsExactly(Outcome.UNKNOWN, Outcome.CONFIRMED));
  }

  @Test
  void theStackTraceShowsTheCaller() throws Exception {
    Thread other =
        new Thread(
            () -> {
              batch.abandon(new IllegalStateException("gone"));
              batch.complete();
            });
    other.start();
    other.join(TimeUnit.NANOSECONDS.toMillis(LONG_NANOS));

    SendFailedException failure =
        catchThrowableOfType(
            SendFailedException.class,
            () -> BatchOutcome.await(batch.done(), LONG_NANOS, this::giveUp));

    assertThat(failure.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("theStackTraceShowsTheCaller"));
  }

  @Test
  void aFailureOfAnotherKindIsADefect() {
    CompletableFuture<Void> broken = CompletableFuture.failedFuture(new IllegalStateException());

    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> BatchOutcome.awaitEnd(broken));
  }
}
