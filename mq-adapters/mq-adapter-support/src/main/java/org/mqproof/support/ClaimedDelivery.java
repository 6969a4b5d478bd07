package org.mqproof.support;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message and the claim that a receiver has on it. What has become of the claim is guarded by the
 * lock of the receiver's {@link AckRounds}.
 */
public abstract class ClaimedDelivery implements Delivery {

  /** What has become of the claim, as far as this client knows. */
  enum State {
    CLAIMED,
    ACKING,
    SETTLED,
    /** The claim had ended before the ack arrived. */
    ENDED
  }

  private final AckRounds<?> owner;
  private final Message message;

  State state = State.CLAIMED;

  /** The ack that is under way; null unless {@link State#ACKING}. */
  @Nullable CompletableFuture<Void> acking;

  /**
   * A claim that was made.
   *
   * @param owner the acks of the receiver that made it
   * @param message what is claimed
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
