package org.mqproof.pulsar;

import org.apache.pulsar.client.api.MessageId;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message that a broker handed to one receiver. For the receiver's thread, but for {@link
 * #message()}.
 */
final class PulsarDelivery implements Delivery {

  private final PulsarReceiver owner;
  private final MessageId id;
  private final Message message;
  private PulsarReceiver.@Nullable OpenAck ack;
  private boolean released;

  PulsarDelivery(PulsarReceiver owner, MessageId id, Message message) {
    this.owner = owner;
    this.id = id;
    this.message = message;
  }

  @Override
  public Message message() {
    return message;
  }

  PulsarReceiver owner() {
    return owner;
  }

  MessageId id() {
    return id;
  }

  /** Its last ack, or null if there was none. */
  PulsarReceiver.@Nullable OpenAck ack() {
    return ack;
  }

  void acked(PulsarReceiver.OpenAck answer) {
    ack = answer;
  }

  boolean isReleased() {
    return released;
  }

  /** Ends this delivery, for another one of the same message. */
  PulsarDelivery again() {
    released = true;
    return new PulsarDelivery(owner, id, message);
  }

  @Override
  public String toString() {
    return "PulsarDelivery[" + id + ", " + message + "]";
  }
}
