package org.mqproof.eventstore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/** What became of each message of one batch. Thread-safe. */
final class SendBatch {

  private final String endpoint;
  private final List<Message> messages;
  private final long deadlineNanos;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  // Guarded by this.
  private final @Nullable Outcome[] outcomes;
  private int open;
  private @Nullable Throwable firstCause;

  /**
   * Nothing is known yet.
   *
   * @param deadlineNanos when {@link System#nanoTime()} has come so far, the rest is unknown
   */
  SendBatch(String endpoint, List<Message> messages, long deadlineNanos) {
    this.endpoint = endpoint;
    this.messages = List.copyOf(messages);
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

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Notes the outcome of some messages; the first one of a message counts. */
  void settle(List<Integer> indexes, Outcome outcome, @Nullable Throwable cause) {
    boolean ended = false;
    synchronized (this) {
      for (int index : indexes) {
        if (outcomes[index] == null) {
          outcomes[index] = outcome;
          ended = --open == 0;
          if (outcome != Outcome.CONFIRMED && firstCause == null) {
            firstCause = cause;
          }
        }
      }
    }
    if (ended) {
      complete();
    }
  }

  /** Ends the batch: what has no outcome is unknown. */
  void abandon(Throwable cause) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      all.add(i);
    }
    settle(all, Outcome.UNKNOWN, cause);
  }

  /** Runs the caller's code, and so outside of the lock. */
  private void complete() {
    List<Outcome> known;
    Throwable cause;
    synchronized (this) {
      known = new ArrayList<>();
      Arrays.stream(outcomes)
          .forEach(outcome -> known.add(outcome == null ? Outcome.UNKNOWN : outcome));
      cause = firstCause;
    }
    if (known.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
      done.complete(null);
      return;
    }
    Throwable shown = cause == null ? new MqException(endpoint + ": no reason was given") : cause;
    done.completeExceptionally(
        new SendFailedException(
            endpoint + ": not every message was confirmed: " + Errors.reason(shown), known, shown));
  }
}
