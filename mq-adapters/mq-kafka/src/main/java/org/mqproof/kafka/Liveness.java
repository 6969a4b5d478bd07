package org.mqproof.kafka;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/**
 * Tells a queue that is empty from brokers that do not answer, and from a queue that was deleted:
 * Kafka's consumer shows no difference. {@link #answered()} may be called by any thread, the others
 * by the receiver's user.
 */
final class Liveness {

  private static final long ASK_NANOS = Duration.ofSeconds(1).toNanos();

  /** A broker that was just started may not know a topic yet. */
  private static final int MISSING_TO_BE_SURE = 2;

  private final Duration bound;
  private final Consumer<Duration> requireAnswer;
  private final Supplier<CompletableFuture<Boolean>> askWhetherThere;
  private final String gone;
  private @Nullable CompletableFuture<Boolean> answer;
  private long askedNanos = System.nanoTime();
  private int timesMissing;
  private volatile long lastAnswerNanos = System.nanoTime();

  /**
   * Starts with an answer now.
   *
   * @param bound how long silence may last before it is an error
   * @param requireAnswer asks for a sign of life within a time, and throws when there is none
   * @param askWhetherThere asks whether the queue is still there, without waiting; true if that is
   *     not known
   * @param gone says that it is not
   */
  Liveness(
      Duration bound,
      Consumer<Duration> requireAnswer,
      Supplier<CompletableFuture<Boolean>> askWhetherThere,
      String gone) {
    this.bound = bound;
    this.requireAnswer = requireAnswer;
    this.askWhetherThere = askWhetherThere;
    this.gone = gone;
  }

  /** A broker was heard of. */
  void answered() {
    lastAnswerNanos = System.nanoTime();
  }

  /** Asks now and then, in the background, and fails once the queue was not there each time. */
  void requireQueue() {
    CompletableFuture<Boolean> asked = answer;
    if (asked == null) {
      if (System.nanoTime() - askedNanos >= ASK_NANOS) {
        answer = askWhetherThere.get();
        askedNanos = System.nanoTime();
      }
    } else if (asked.isDone()) {
      answer = null;
      timesMissing = asked.join() ? 0 : timesMissing + 1;
    }
    if (timesMissing >= MISSING_TO_BE_SURE) {
      throw new MqException(gone);
    }
  }

  /** Asks the brokers if they were silent for half of the bound; they have the other half. */
  void requireRecentAnswer() {
    Duration half = bound.dividedBy(2);
    if (System.nanoTime() - lastAnswerNanos >= half.toNanos()) {
      requireAnswer.accept(half);
      answered();
    }
  }
}
