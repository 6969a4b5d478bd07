package org.mqproof.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.mqproof.Delivery;
import org.mqproof.Message;

/** A message locked by a share group's member. Its state is guarded by its {@link ShareClaims}. */
final class ShareDelivery implements Delivery {

  /** What became of the claim. */
  enum State {
    CLAIMED,
    ACKED,
    ENDED
  }

  private static final byte[] EMPTY = {};

  private final ShareClaims owner;
  private final ConsumerRecord<byte[], byte[]> record;
  private final Message message;
  private State state = State.CLAIMED;

  ShareDelivery(ShareClaims owner, ConsumerRecord<byte[], byte[]> record) {
    this.owner = owner;
    this.record = record;
    byte[] body = record.value();
    message = new Message(body == null ? EMPTY : body);
  }

  @Override
  public Message message() {
    return message;
  }

  ShareClaims owner() {
    return owner;
  }

  ConsumerRecord<byte[], byte[]> record() {
    return record;
  }

  State state() {
    return state;
  }

  void become(State newState) {
    state = newState;
  }

  @Override
  public String toString() {
    return "ShareDelivery[%s-%d, offset %d, %s]"
        .formatted(record.topic(), record.partition(), record.offset(), message);
  }
}
