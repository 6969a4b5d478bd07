package org.mqproof.sqs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
  private final CountDownLatch ended = new CountDownLatch(1);
  private int open;
  private @Nullable RequestFailed firstCause;
  private @Nullable SendFailedException failure;

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
   * @param failed null if it is confirmed
   */
  void settle(int index, @Nullable RequestFailed failed) {
    boolean last;
    synchronized (this) {
      if (outcomes[index] != null) {
        return;
      }
      if (failed == null) {
        outcomes[index] = Outcome.CONFIRMED;
      } else {
        outcomes[index] = failed.isCertain() ? Outcome.REJECTED : Outcome.UNKNOWN;
        firstCause = firstCause == null ? failed : firstCause;
      }
      last = --open == 0;
    }
    if (last) {
      complete();
    }
  }

  /** Ends the batch: what has no outcome is unknown. Harmless once it has ended. */
  void abandon(String reason) {
    RequestFailed unknown = RequestFailed.unknown(reason, null);
    for (int i = 0; i < outcomes.length; i++) {
      settle(i, unknown);
    }
  }

  /** Whether it ends in time. */
  boolean awaitEnd(Duration bound) throws InterruptedException {
    return ended.await(bound.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** What the future failed with; null if every message is confirmed, or not all have outcomes. */
  synchronized @Nullable SendFailedException failure() {
    return failure;
  }

  static String reason(SendFailedException failure) {
    return "not every message was confirmed: "
        + (failure.getCause() == null ? "no reason was given" : Errors.reason(failure.getCause()));
  }

  private void complete() {
    SendFailedException failed = null;
    synchronized (this) {
      RequestFailed first = firstCause;
      if (first != null) {
        List<Outcome> known = new ArrayList<>(outcomes.length);
        Arrays.stream(outcomes)
            .forEach(outcome -> known.add(outcome == null ? Outcome.UNKNOWN : outcome));
        failed =
            new SendFailedException(
                "%s: not every message was confirmed: %s".formatted(where, Errors.reason(first)),
                known,
                new MqException(where + ": " + Errors.reason(first), first));
      }
      failure = failed;
    }
    ended.countDown();
    if (failed == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(failed);
    }
  }
}
