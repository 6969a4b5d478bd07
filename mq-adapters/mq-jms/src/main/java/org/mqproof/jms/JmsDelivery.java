package org.mqproof.jms;

import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message handed to one receiver; a link in the chain of what that receiver has unacked. The
 * message is immutable, the rest is guarded by the receiver's lock.
 */
final class JmsDelivery implements Delivery {

  private final JmsReceiver receiver;
  private final Message message;
  final Object handle;
  final long number;
  @Nullable JmsDelivery previous;
  @Nullable JmsDelivery next;
  boolean acked;

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
