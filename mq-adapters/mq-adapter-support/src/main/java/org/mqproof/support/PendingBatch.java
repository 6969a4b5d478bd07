package org.mqproof.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/**
 * What became of each message of one batch. Guarded by the lock of its {@link GatheredSends}, but
 * for {@link #complete}, which runs outside of it because it runs the caller's code.
 */
final class PendingBatch {

  private final String where;
  private final Function<Throwable, String> reason;
  private final List<Message> messages;
  private final int largestBodyBytes;
  private final long deadlineNanos;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final @Nullable Outcome[] outcomes;
  private int open;
  private boolean failed;
  private @Nullable Throwable firstCause;

  /**
   * Nothing is known yet.
   *
   * @param where endpoint and queue, the beginning of the error's sentence
   * @param reason what a failure says, the end of that sentence
   * @param messages the batch
   * @param largestBodyBytes a larger body is rejected
   * @param deadlineNanos when {@link System#nanoTime()} has come so far, the rest is unknown
   */
  PendingBatch(
      String where,
      Function<Throwable, String> reason,
      List<Message> messages,
      int largestBodyBytes,
      long deadlineNanos) {
    this.where = where;
    this.reason = reason;
    this.messages = List.copyOf(messages);
    this.largestBodyBytes = largestBodyBytes;
    this.deadlineNanos = deadlineNanos;
    open = messages.size();
    outcomes = new @Nullable Outcome[open];
  }

  /**
   * The outcome of the batch.
   *
   * @return completes with nothing when all are confirmed, else with a {@link SendFailedException}
   */
  CompletableFuture<Void> done() {
    return done;
  }

  /**
   * How many messages it has.
   *
   * @return 0 or more
   */
  int size() {
    return outcomes.length;
  }

  byte[] body(int index) {
    return messages.get(index).body();
  }

  /** Such a message is never sent. */
  boolean isTooLarge(int index) {
    return body(index).length > largestBodyBytes;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  boolean hasEnded() {
    return open == 0;
  }

  /**
   * Notes an outcome; the first one of a message counts.
   *
   * @return whether the batch has ended by this: then {@link #complete} is to be called
   */
  boolean settle(int index, Outcome outcome, @Nullable Throwable cause) {
    if (outcomes[index] != null) {
      return false;
    }
    outcomes[index] = outcome;
    if (outcome != Outcome.CONFIRMED) {
      failed = true;
      if (firstCause == null) {
        firstCause = cause;
      }
    }
    return --open == 0;
  }

  /**
   * Ends the batch: what has no outcome is unknown.
   *
   * @return whether it had not ended before: then {@link #complete} is to be called
   */
  boolean abandon(Throwable cause) {
    boolean ended = false;
    for (int i = 0; i < outcomes.length; i++) {
      ended |= settle(i, Outcome.UNKNOWN, cause);
    }
    return ended;
  }

  /** Completes the future; once, after the batch has ended, and outside of every lock. */
  void complete() {
    if (!failed) {
      done.complete(null);
      return;
    }
    List<Outcome> known = new ArrayList<>(outcomes.length);
    for (Outcome outcome : outcomes) {
      known.add(outcome == null ? Outcome.UNKNOWN : outcome);
    }
    Throwable cause = firstCause == null ? new MqException("no reason was given") : firstCause;
    done.completeExceptionally(
        new SendFailedException(
            "%s: not every message was confirmed: %s".formatted(where, reason.apply(cause)),
            known,
            cause));
  }
}
