package org.mqproof.rabbitmq;

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
    SETTLED
  }

  private final Claims owner;
  private final long tag;
  private final Message message;
  private State state = State.CLAIMED;
  @Nullable RabbitDelivery before;
  @Nullable RabbitDelivery after;

  RabbitDelivery(Claims owner, long tag, byte[] body) {
    this.owner = owner;
    this.tag = tag;
    message = new Message(body);
  }

  @Override
  public Message message() {
    return message;
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
