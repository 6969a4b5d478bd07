package org.mqproof.memory;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
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
    RELEASED,
    ENDED
  }

  final byte[] stored;
  final Map<String, String> headers;

  /** Place in the queue: the lowest that is free goes next. Counted as messages are first taken. */
  long position;

  /** When the claim expires, in nanoseconds of the broker's time. */
  long expiresAtNanos;

  Claim claim = Claim.OPEN;
  private final int attempt;
  @Nullable MemoryReceiver receiver;

  /** Neighbours in the queue's list of open claims. */
  @Nullable MemoryDelivery earlier;

  @Nullable MemoryDelivery later;

  private @Nullable Message message;

  /** A message that no receiver has seen yet; the body is the queue's own. */
  MemoryDelivery(byte[] stored, Map<String, String> headers) {
    this.stored = stored;
    this.headers = headers;
    attempt = 1;
  }

  private MemoryDelivery(MemoryDelivery before) {
    stored = before.stored;
    headers = before.headers;
    position = before.position;
    attempt = before.attempt + 1;
  }

  /** The same message at the same place, to be delivered once more. */
  MemoryDelivery again() {
    return new MemoryDelivery(this);
  }

  /** The receiver gets a copy of its own: it may change it, and the message may yet come back. */
  void copyForReceiver() {
    byte[] body = stored.clone();
    message = headers.isEmpty() ? new Message(body) : new Message(body, headers);
  }

  @Override
  public Message message() {
    return Objects.requireNonNull(message);
  }

  @Override
  public OptionalInt attempt() {
    return OptionalInt.of(attempt);
  }

  @Override
  public String toString() {
    return "MemoryDelivery[position=" + position + ", attempt=" + attempt + ", " + claim + "]";
  }
}
