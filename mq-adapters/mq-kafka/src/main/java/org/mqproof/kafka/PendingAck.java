package org.mqproof.kafka;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/**
 * One call of {@code ack} or {@code release}, waiting until the broker settled each part of it.
 * Guarded by its receiver's lock, but for {@link #complete}, which runs outside of it because it
 * runs the caller's code. The future is the caller's own: nothing here reads it.
 */
final class PendingAck {

  private final CompletableFuture<Void> future = new CompletableFuture<>();
  private final @Nullable Supplier<List<Outcome>> outcomes;
  private int open;
  private @Nullable MqException failure;

  private PendingAck(@Nullable Supplier<List<Outcome>> outcomes) {
    this.outcomes = outcomes;
  }

  /**
   * An ack.
   *
   * @param outcomes of each delivery; called with the receiver's lock if the ack fails
   */
  static PendingAck ack(Supplier<List<Outcome>> outcomes) {
    return new PendingAck(outcomes);
  }

  /** A release, which has no outcomes. */
  static PendingAck release() {
    return new PendingAck(null);
  }

  CompletableFuture<Void> future() {
    return future;
  }

  void addPart() {
    open++;
  }

  /** Notes that a part is settled. */
  void settle() {
    open--;
  }

  /** Notes that a part will not be settled. */
  void fail(MqException cause) {
    open--;
    refuse(cause);
  }

  /** Notes that a delivery cannot be acked any more. */
  void refuse(MqException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /** Whether nothing is awaited any more; then call {@link #complete}. */
  boolean isEnded() {
    if (open > 0) {
      return false;
    }
    MqException cause = failure;
    if (cause != null && outcomes != null && !(cause instanceof AckFailedException)) {
      List<Outcome> known = outcomes.get();
      // What could not be committed at first may have been since.
      failure =
          known.stream().allMatch(Outcome.CONFIRMED::equals)
              ? null
              : new AckFailedException(String.valueOf(cause.getMessage()), known, cause);
    }
    return true;
  }

  /** Completes the future; once, after {@link #isEnded}. */
  void complete() {
    MqException cause = failure;
    if (cause == null) {
      future.complete(null);
    } else {
      future.completeExceptionally(cause);
    }
  }
}
