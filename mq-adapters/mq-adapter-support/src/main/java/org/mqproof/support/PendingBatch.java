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
 * Tracks the outcome of each message of one batch.
 *
 * <p>Not thread-safe: the sender guards it with a lock of its own, except for {@link #complete},
 * which runs the caller's code and must be called outside of that lock.
 */
public final class PendingBatch {

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
   * Creates a batch without outcomes.
   *
   * @param where endpoint and queue, the start of the error message
   * @param reason turns a failure into the end of that message
   * @param messages the batch
   * @param largestBodyBytes a larger body is rejected
   * @param deadlineNanos {@link System#nanoTime()} at which the sender gives the batch up
   */
  public PendingBatch(
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
   * Returns the future of the batch.
   *
   * @return completes with nothing when all are confirmed, else with a {@link SendFailedException}
   */
  public CompletableFuture<Void> done() {
    return done;
  }

  /**
   * Returns the number of messages.
   *
   * @return 0 or more
   */
  public int size() {
    return outcomes.length;
  }

  /**
   * Returns the body of a message.
   *
   * @param index from 0
   * @return not a copy
   */
  public byte[] body(int index) {
    return messages.get(index).body();
  }

  /**
   * Whether a message exceeds the largest body.
   *
   * @param index from 0
   * @return true if it must not be sent
   */
  public boolean isTooLarge(int index) {
    return body(index).length > largestBodyBytes;
  }

  /**
   * Returns the deadline.
   *
   * @return in terms of {@link System#nanoTime()}
   */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /**
   * Whether every message has its outcome.
   *
   * @return true for an empty batch
   */
  public boolean hasEnded() {
    return open == 0;
  }

  /**
   * Whether a message has its outcome.
   *
   * @param index from 0
   * @return true once it has
   */
  public boolean isSettled(int index) {
    return outcomes[index] != null;
  }

  /**
   * Records an outcome. Only the first one of a message counts.
   *
   * @param index from 0
   * @param outcome of the message
   * @param cause why it was not confirmed, if known
   * @return true if this ended the batch; then call {@link #complete}
   */
  public boolean settle(int index, Outcome outcome, @Nullable Throwable cause) {
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
    return --open == 0;
  }

  /**
   * Ends the batch: messages without an outcome become UNKNOWN.
   *
   * @param cause why they are unknown
   * @return true if this ended the batch; then call {@link #complete}
   */
  public boolean abandon(Throwable cause) {
    boolean ended = false;
    for (int i = 0; i < outcomes.length; i++) {
      ended |= settle(i, Outcome.UNKNOWN, cause);
    }
    return ended;
  }

  /** Completes the future. Call it once, after the batch has ended, outside of every lock. */
  public void complete() {
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
