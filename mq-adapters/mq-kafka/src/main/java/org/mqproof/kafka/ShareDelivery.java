package org.mqproof.kafka;

import java.util.OptionalInt;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Outcome;

/** A message locked by a share group's member. Its state is guarded by its {@link ShareClaims}. */
final class ShareDelivery implements Delivery {

  /** What became of the claim. */
  enum State {
    CLAIMED,
    ACKED,
    SETTLED,
    RELEASED,
    /** Its ack failed, and Kafka's client takes no other. */
    UNKNOWN,
    ENDED
  }

  private final ShareClaims owner;
  private final ConsumerRecord<byte[], byte[]> record;
  private final Message message;
  private State state = State.CLAIMED;

  ShareDelivery(ShareClaims owner, ConsumerRecord<byte[], byte[]> record) {
    this.owner = owner;
    this.record = record;
    message = GroupClaims.message(record);
  }

  @Override
  public Message message() {
    return message;
  }

  @Override
  public OptionalInt attempt() {
    return record.deliveryCount().map(count -> OptionalInt.of(count)).orElse(OptionalInt.empty());
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

  /** What is known of an ack of it. */
  Outcome outcome() {
    return switch (state) {
      case SETTLED -> Outcome.CONFIRMED;
      case ACKED, UNKNOWN -> Outcome.UNKNOWN;
      case CLAIMED, RELEASED, ENDED -> Outcome.REJECTED;
    };
  }

  @Override
  public String toString() {
    return "ShareDelivery[%s-%d, offset %d, %s]"
        .formatted(record.topic(), record.partition(), record.offset(), message);
  }
}
