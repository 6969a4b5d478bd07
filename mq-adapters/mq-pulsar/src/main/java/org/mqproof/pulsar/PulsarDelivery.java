package org.mqproof.pulsar;

import java.util.concurrent.CompletableFuture;
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
  private @Nullable CompletableFuture<Void> ack;

  PulsarDelivery(PulsarReceiver owner, MessageId id, byte[] body) {
    this.owner = owner;
    this.id = id;
    this.message = new Message(body);
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

  /** What was answered to its first ack, or null if there was none. */
  @Nullable CompletableFuture<Void> ack() {
    return ack;
  }

  void acked(CompletableFuture<Void> answer) {
    ack = answer;
  }

  @Override
  public String toString() {
    return "PulsarDelivery[" + id + ", " + message + "]";
  }
}
