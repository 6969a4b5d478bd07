package org.mqproof.kafka;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/**
 * One call of {@code ack}, waiting until the broker settled each part of it. Guarded by its
 * receiver's lock, but for {@link #complete}, which runs outside of it because it runs the caller's
 * code.
 */
final class PendingAck {

  private final CompletableFuture<Void> future = new CompletableFuture<>();
  private int open;
  private @Nullable MqException failure;

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

  boolean isEnded() {
    return open == 0;
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
