package org.mqproof.pulsar;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/** What became of each message of one batch. Thread-safe. */
final class SendBatch {

  private final String where;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final @Nullable Outcome[] outcomes;
  private int open;
  private @Nullable Throwable firstCause;
  private boolean failed;

  /**
   * Nothing is known yet.
   *
   * @param where the endpoint and the queue
   * @param size at least 1
   */
  SendBatch(String where, int size) {
    this.where = where;
    outcomes = new @Nullable Outcome[size];
    open = size;
  }

  /** Completes with nothing when all are confirmed, else with a {@link SendFailedException}. */
  CompletableFuture<Void> done() {
    return done;
  }

  void confirm(int index) {
    settle(index, Outcome.CONFIRMED, null);
  }

  /** Notes what became of a message; the first outcome of each counts. */
  void settle(int index, Outcome outcome, @Nullable Throwable cause) {
    synchronized (this) {
      if (outcomes[index] != null) {
        return;
      }
      outcomes[index] = outcome;
      if (outcome != Outcome.CONFIRMED) {
        failed = true;
        firstCause = firstCause == null ? cause : firstCause;
      }
      if (--open > 0) {
        return;
      }
    }
    complete(); // without the lock: it runs the caller's code
  }

  /** What has no outcome yet is unknown. */
  void abandon(Throwable cause) {
    synchronized (this) {
      if (open == 0) {
        return;
      }
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = outcomes[i] == null ? Outcome.UNKNOWN : outcomes[i];
      }
      open = 0;
      failed = true;
      firstCause = firstCause == null ? cause : firstCause;
    }
    complete();
  }

  private void complete() {
    List<Outcome> known;
    Throwable cause;
    synchronized (this) {
      if (!failed) {
        cause = null;
        known = List.of();
      } else {
        cause = firstCause;
        known = Arrays.stream(outcomes).map(Objects::requireNonNull).toList();
      }
    }
    if (known.isEmpty()) {
      done.complete(null);
    } else {
      done.completeExceptionally(
          new SendFailedException(
              where
                  + ": not every message was confirmed: "
                  + (cause == null ? "no reason was given" : Errors.reason(cause)),
              known,
              cause));
    }
  }
}
