package org.mqproof.support;

import java.util.ArrayList;
import java.util.BitSet;
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
 * <p>Thread-safe. {@link #complete}, {@link #end}, {@link #endRest} and {@link #giveUp} run the
 * caller's code: call them without a lock.
 */
public final class PendingBatch {

  private final String where;
  private final Function<Throwable, String> reason;
  private final List<Message> messages;
  private final MessageLimits limits;
  private final long deadlineNanos;
  private final BitSet refused = new BitSet(0);
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
   * @param limits what a message may have
   * @param deadlineNanos {@link System#nanoTime()} at which the sender gives the batch up
   */
  public PendingBatch(
      String where,
      Function<Throwable, String> reason,
      List<Message> messages,
      MessageLimits limits,
      long deadlineNanos) {
    this.where = where;
    this.reason = reason;
    this.messages = List.copyOf(messages);
    this.limits = limits;
    this.deadlineNanos = deadlineNanos;
    open = messages.size();
    outcomes = new @Nullable Outcome[open];
    for (int i = 0; i < open; i++) {
      refused.set(i, limits.refusal(messages.get(i)) != null);
    }
  }

  /**
   * Returns the future of the batch, for the adapter itself.
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
   * Returns a message.
   *
   * @param index from 0
   * @return as it was given to the sender
   */
  public Message message(int index) {
    return messages.get(index);
  }

  /**
   * Returns the body of a message.
   *
   * @param index from 0
   * @return not a copy
   */
  public byte[] body(int index) {
    return message(index).body();
  }

  /**
   * Whether the limits exclude a message.
   *
   * @param index from 0
   * @return true if it must not be sent
   */
  public boolean isRefused(int index) {
    return refused.get(index);
  }

  /**
   * Rejects the messages that the limits exclude.
   *
   * @return true if this ended the batch; then call {@link #complete}
   */
  public boolean rejectRefused() {
    boolean ended = false;
    for (int i = refused.nextSetBit(0); i >= 0; i = refused.nextSetBit(i + 1)) {
      MqException refusal = new MqException(String.valueOf(limits.refusal(message(i))));
      ended |= settle(i, Outcome.REJECTED, refusal);
    }
    return ended;
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
  public synchronized boolean hasEnded() {
    return open == 0;
  }

  /**
   * Whether a message has its outcome.
   *
   * @param index from 0
   * @return true once it has
   */
  public synchronized boolean isSettled(int index) {
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
  public synchronized boolean settle(int index, Outcome outcome, @Nullable Throwable cause) {
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
    return settleRest(Outcome.UNKNOWN, cause);
  }

  private synchronized boolean settleRest(Outcome outcome, @Nullable Throwable cause) {
    boolean ended = false;
    for (int i = 0; i < outcomes.length; i++) {
      ended |= settle(i, outcome, cause);
    }
    return ended;
  }

  /**
   * Records an outcome, and completes the future if it was the last.
   *
   * @param index as in {@link #settle}
   * @param outcome as in {@link #settle}
   * @param cause as in {@link #settle}
   */
  public void end(int index, Outcome outcome, @Nullable Throwable cause) {
    if (settle(index, outcome, cause)) {
      complete();
    }
  }

  /**
   * Ends the batch and completes the future: messages without an outcome become UNKNOWN.
   *
   * @param cause why they are unknown
   */
  public void giveUp(Throwable cause) {
    endRest(Outcome.UNKNOWN, cause);
  }

  /**
   * Ends the batch and completes the future.
   *
   * @param outcome of each message that has none
   * @param cause why they were not confirmed, if known
   */
  public void endRest(Outcome outcome, @Nullable Throwable cause) {
    if (settleRest(outcome, cause)) {
      complete();
    }
  }

  /** Completes the future. Call it once, after the batch has ended, outside of every lock. */
  public void complete() {
    SendFailedException failure = failure();
    if (failure == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(failure);
    }
  }

  private synchronized @Nullable SendFailedException failure() {
    if (!failed) {
      return null;
    }
    List<Outcome> known = new ArrayList<>(outcomes.length);
    for (Outcome outcome : outcomes) {
      known.add(outcome == null ? Outcome.UNKNOWN : outcome);
    }
    Throwable cause = firstCause == null ? new MqException("no reason was given") : firstCause;
    return new SendFailedException(
        "%s: not every message was confirmed: %s".formatted(where, reason.apply(cause)),
        known,
        cause);
  }
}
