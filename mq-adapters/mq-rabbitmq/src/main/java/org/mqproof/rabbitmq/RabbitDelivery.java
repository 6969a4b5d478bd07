package org.mqproof.rabbitmq;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message that the broker handed to one channel. Its place among the unacked ones and its state
 * are guarded by the lock of its {@link Claims}.
 */
final class RabbitDelivery implements Delivery {

  /** What became of the claim. */
  enum State {
    CLAIMED,
    ACKED,
    SETTLED,
    RELEASED
  }

  private final Claims owner;
  private final long tag;
  private final Message message;
  private final int attempt;
  private State state = State.CLAIMED;
  @Nullable RabbitDelivery before;
  @Nullable RabbitDelivery after;

  /**
   * A claimed message.
   *
   * @param attempt which delivery of the message it is, from 1 on; 0 if that is not known
   */
  RabbitDelivery(Claims owner, long tag, Message message, int attempt) {
    this.owner = owner;
    this.tag = tag;
    this.message = message;
    this.attempt = attempt;
  }

  @Override
  public Message message() {
    return message;
  }

  @Override
  public OptionalInt attempt() {
    return attempt == 0 ? OptionalInt.empty() : OptionalInt.of(attempt);
  }

  /** Another delivery of the same message, which the broker knows by the same tag. */
  RabbitDelivery again() {
    return new RabbitDelivery(owner, tag, message, attempt == 0 ? 0 : attempt + 1);
  }

  Claims owner() {
    return owner;
  }

  /** Counts the deliveries of one channel, from 1 on. */
  long tag() {
    return tag;
  }

  State state() {
    return state;
  }

  void become(State newState) {
    state = newState;
  }

  @Override
  public String toString() {
    return "RabbitDelivery[tag " + tag + ", " + message + "]";
  }
}
