package org.mqproof.kafka;

import org.mqproof.Delivery;
import org.mqproof.Message;

/** A message delivered from one partition. Guarded by its {@link GroupClaims} where it changes. */
final class KafkaDelivery implements Delivery {

  private final PartitionClaims partition;
  private final long offset;
  private final Message message;
  private boolean released;

  KafkaDelivery(PartitionClaims partition, long offset, Message message) {
    this.partition = partition;
    this.offset = offset;
    this.message = message;
  }

  @Override
  public Message message() {
    return message;
  }

  PartitionClaims partition() {
    return partition;
  }

  long offset() {
    return offset;
  }

  /** Whether this receiver gave it back to itself: another delivery stands for the message now. */
  boolean isReleased() {
    return released;
  }

  /** Ends this delivery, for another one of the same message. */
  KafkaDelivery again() {
    released = true;
    return new KafkaDelivery(partition, offset, message);
  }

  @Override
  public String toString() {
    return "KafkaDelivery[" + partition + ", offset " + offset + ", " + message + "]";
  }
}
