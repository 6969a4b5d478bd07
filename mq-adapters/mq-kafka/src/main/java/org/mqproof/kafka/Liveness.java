package org.mqproof.kafka;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Tells a queue that is empty from brokers that do not answer: Kafka's consumer shows no
 * difference. Thread-safe.
 */
final class Liveness {

  private final Duration bound;
  private final Consumer<Duration> requireAnswer;
  private volatile long lastAnswerNanos = System.nanoTime();

  /**
   * Starts with an answer now.
   *
   * @param bound how long silence may last before it is an error
   * @param requireAnswer asks for a sign of life within a time, and throws when there is none
   */
  Liveness(Duration bound, Consumer<Duration> requireAnswer) {
    this.bound = bound;
    this.requireAnswer = requireAnswer;
  }

  /** A broker was heard of. */
  void answered() {
    lastAnswerNanos = System.nanoTime();
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
