package org.mqproof.support;

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
    RELEASED,
    /** The claim had ended before an ack or an extension arrived. */
    ENDED
  }

  private final AckRounds<?> owner;
  private final Message message;

  State state = State.CLAIMED;

  /** {@link System#nanoTime()} of the claim, or of its last extension. */
  long sinceNanos = System.nanoTime();

  /** The last ack or release; null if there was none or it failed. */
  AckRounds.@Nullable Round<?> round;

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
}
