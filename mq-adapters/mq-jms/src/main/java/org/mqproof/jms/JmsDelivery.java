package org.mqproof.jms;

import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Outcome;

/**
 * A message handed to one receiver; a link in the chain of what that receiver has unacked. The
 * message is immutable, the rest is guarded by the receiver's lock.
 *
 * <p>Both brokers count a delivery only if its connection was lost, so there is no attempt.
 */
final class JmsDelivery implements Delivery {

  /** What is known of the claim. */
  enum State {
    CLAIMED(Outcome.REJECTED),
    /** An ack was given and not sent yet. */
    ACKING(Outcome.REJECTED),
    SETTLED(Outcome.CONFIRMED),
    /** An ack was sent, and the broker did not confirm it. */
    UNKNOWN(Outcome.UNKNOWN),
    RELEASED(Outcome.REJECTED);

    private final Outcome outcome;

    State(Outcome outcome) {
      this.outcome = outcome;
    }

    /** Of an ack, if nothing more happens. */
    Outcome outcome() {
      return outcome;
    }
  }

  private final JmsReceiver receiver;
  private final Message message;
  final Object handle;
  final long number;
  @Nullable JmsDelivery previous;
  @Nullable JmsDelivery next;
  State state = State.CLAIMED;

  /**
   * One arrival.
   *
   * @param number counts the receiver's arrivals
   */
  JmsDelivery(JmsReceiver receiver, Object handle, Message message, long number) {
    this.receiver = receiver;
    this.handle = handle;
    this.message = message;
    this.number = number;
  }

  /** The same message under the same claim of the broker's. */
  JmsDelivery again() {
    return new JmsDelivery(receiver, handle, message, number);
  }

  @Override
  public Message message() {
    return message;
  }

  boolean belongsTo(JmsReceiver other) {
    return receiver == other;
  }

  @Override
  public String toString() {
    return "JmsDelivery[" + number + ", " + message + "]";
  }
}
