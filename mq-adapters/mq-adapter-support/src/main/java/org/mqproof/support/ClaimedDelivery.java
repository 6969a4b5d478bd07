package org.mqproof.support;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message and a receiver's claim on it. The state of the claim is guarded by the lock of the
 * receiver's {@link AckRounds}.
 */
public abstract class ClaimedDelivery implements Delivery {

  /** State of the claim as far as this client knows. */
  enum State {
    CLAIMED,
    ACKING,
    SETTLED,
    /** The claim had ended before the ack arrived. */
    ENDED
  }

  private final AckRounds<?> owner;
  private final Message message;
  private final long sinceNanos = System.nanoTime();

  State state = State.CLAIMED;

  /** The ack under way; null unless {@link State#ACKING}. */
  @Nullable CompletableFuture<Void> acking;

  /**
   * Creates the delivery of a claimed message.
   *
   * @param owner acks of the receiver that claimed it
   * @param message the claimed message
   */
  protected ClaimedDelivery(AckRounds<?> owner, Message message) {
    this.owner = owner;
    this.message = message;
  }

  @Override
  public final Message message() {
    return message;
  }

  final AckRounds<?> owner() {
    return owner;
  }

  /** {@link System#nanoTime()} of the claim. */
  final long sinceNanos() {
    return sinceNanos;
  }
}
