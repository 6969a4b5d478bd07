package org.mqproof.memory;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A stored message, at first waiting and then claimed. A redelivery is a new object, so that the
 * old claim can never settle the new one.
 *
 * <p>Made by a sender, handed over once through the queue, from then on guarded by the queue's
 * lock; {@link #message} and {@link #receiver} are set before the receiver's thread gets it.
 */
final class MemoryDelivery implements Delivery {

  /** What holds of a message that was taken out of the queue. */
  enum Claim {
    OPEN,
    ACKED,
    ENDED
  }

  final byte[] stored;

  /** Place in the queue: the lowest that is free goes next. Counted as messages are first taken. */
  long position;

  /** When the claim expires, in nanoseconds of the broker's time. */
  long expiresAtNanos;

  Claim claim = Claim.OPEN;
  @Nullable MemoryReceiver receiver;

  /** Neighbours in the queue's list of open claims. */
  @Nullable MemoryDelivery earlier;

  @Nullable MemoryDelivery later;

  private @Nullable Message message;

  MemoryDelivery(byte[] stored) {
    this.stored = stored;
  }

  /** The receiver gets a copy of its own: it may change it, and the message may yet come back. */
  void copyForReceiver() {
    message = new Message(stored.clone());
  }

  @Override
  public Message message() {
    return Objects.requireNonNull(message);
  }

  @Override
  public String toString() {
    return "MemoryDelivery[position=" + position + ", " + claim + "]";
  }
}
