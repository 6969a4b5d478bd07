package org.mqproof.kafka;

import org.mqproof.Delivery;
import org.mqproof.Message;

/** A message delivered from one partition. Immutable. */
final class KafkaDelivery implements Delivery {

  private final PartitionClaims partition;
  private final long offset;
  private final Message message;

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

  @Override
  public String toString() {
    return "KafkaDelivery[" + partition + ", offset " + offset + ", " + message + "]";
  }
}
