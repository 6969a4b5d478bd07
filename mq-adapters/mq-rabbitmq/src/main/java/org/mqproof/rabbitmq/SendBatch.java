package org.mqproof.rabbitmq;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/**
 * What became of each message of one batch. Guarded by the lock of the {@link Confirms} that it is
 * registered with, but for {@link #complete}, which runs outside of it because it runs the caller's
 * code.
 */
final class SendBatch {

  private final String endpoint;
  private final List<Message> messages;
  private final int largestBodyBytes;
  private final long deadlineNanos;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final @Nullable Outcome[] outcomes;
  private int open;
  private boolean ended;
  private boolean failed;
  private @Nullable Exception firstCause;

  /**
   * Nothing is known yet.
   *
   * @param deadlineNanos when {@link System#nanoTime()} has come so far, the rest is unknown
   */
  SendBatch(String endpoint, List<Message> messages, int largestBodyBytes, long deadlineNanos) {
    this.endpoint = endpoint;
    this.messages = messages;
    this.largestBodyBytes = largestBodyBytes;
    this.deadlineNanos = deadlineNanos;
    open = messages.size();
    outcomes = new @Nullable Outcome[open];
  }

  /** Completes with nothing when all are confirmed, else with a {@link SendFailedException}. */
  CompletableFuture<Void> done() {
    return done;
  }

  int size() {
    return outcomes.length;
  }

  byte[] body(int index) {
    return messages.get(index).body();
  }

  /** Such a message is never handed to the broker. */
  boolean isTooLarge(int index) {
    return body(index).length > largestBodyBytes;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  boolean isEnded() {
    return ended;
  }

  /** Whether this message has its outcome. */
  boolean isSettled(int index) {
    return ended || outcomes[index] != null;
  }

  /**
   * Notes an outcome; the first one of a message counts.
   *
   * @return whether the batch has ended by this: then {@link #complete} is to be called
   */
  boolean settle(int index, Outcome outcome, @Nullable Exception cause) {
    if (isSettled(index)) {
      return false;
    }
    outcomes[index] = outcome;
    if (outcome != Outcome.CONFIRMED) {
      failed = true;
      if (firstCause == null) {
        firstCause = cause;
      }
    }
    ended = --open == 0;
    return ended;
  }

  /**
   * Ends the batch: what has no outcome is unknown.
   *
   * @return whether it had not ended before: then {@link #complete} is to be called
   */
  boolean abandon(Exception cause) {
    if (ended) {
      return false;
    }
    for (int i = 0; i < outcomes.length; i++) {
      settle(i, Outcome.UNKNOWN, cause);
    }
    return true;
  }

  /** Completes the future; once, after the batch has ended, and outside of every lock. */
  void complete() {
    if (!failed) {
      done.complete(null);
      return;
    }
    List<Outcome> known = new ArrayList<>(outcomes.length);
    Arrays.stream(outcomes)
        .forEach(outcome -> known.add(outcome == null ? Outcome.UNKNOWN : outcome));
    Exception cause =
        firstCause == null ? new MqException(endpoint + ": no reason was given") : firstCause;
    done.completeExceptionally(
        new SendFailedException(
            endpoint + ": not every message was confirmed: " + Errors.reason(cause), known, cause));
  }
}
