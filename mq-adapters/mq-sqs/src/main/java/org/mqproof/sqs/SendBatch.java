package org.mqproof.sqs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/**
 * What became of each message of one batch, whichever requests carry them. Thread-safe; the future
 * completes outside of the lock, because that runs the caller's code.
 */
final class SendBatch {

  private final String where;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final @Nullable Outcome[] outcomes;
  private int open;
  private @Nullable RuntimeException firstCause;

  /**
   * Nothing is known yet.
   *
   * @param where the service and the queue, for errors
   * @param size at least 1
   */
  SendBatch(String where, int size) {
    this.where = where;
    open = size;
    outcomes = new @Nullable Outcome[size];
  }

  /** Completes with nothing when all are confirmed, else with a {@link SendFailedException}. */
  CompletableFuture<Void> done() {
    return done;
  }

  /**
   * Notes an outcome; the first one of a message counts.
   *
   * @param failure null if it is confirmed
   */
  void settle(int index, @Nullable RequestFailed failure) {
    boolean ended;
    synchronized (this) {
      if (outcomes[index] != null) {
        return;
      }
      if (failure == null) {
        outcomes[index] = Outcome.CONFIRMED;
      } else {
        outcomes[index] = failure.isCertain() ? Outcome.REJECTED : Outcome.UNKNOWN;
        firstCause = firstCause == null ? failure : firstCause;
      }
      ended = --open == 0;
    }
    if (ended) {
      complete();
    }
  }

  /** Ends the batch: what has no outcome is unknown. Harmless once it has ended. */
  void abandon(String reason) {
    RequestFailed failure = RequestFailed.unknown(reason, null);
    for (int i = 0; i < outcomes.length; i++) {
      settle(i, failure);
    }
  }

  private void complete() {
    List<Outcome> known = new ArrayList<>(outcomes.length);
    RuntimeException cause;
    synchronized (this) {
      Arrays.stream(outcomes)
          .forEach(outcome -> known.add(outcome == null ? Outcome.UNKNOWN : outcome));
      cause = firstCause;
    }
    if (cause == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(
          new SendFailedException(
              "%s: not every message was confirmed: %s".formatted(where, Errors.reason(cause)),
              known,
              new MqException(where + ": " + Errors.reason(cause), cause)));
    }
  }
}
