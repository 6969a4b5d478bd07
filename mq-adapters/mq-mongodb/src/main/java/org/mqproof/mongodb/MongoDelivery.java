package org.mqproof.mongodb;

import java.util.concurrent.CompletableFuture;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message and the claim that a receiver has on it. The state is guarded by the lock of the
 * receiver's {@link Acks}.
 */
final class MongoDelivery implements Delivery {

  /** What has become of the claim, as far as this client knows. */
  enum State {
    CLAIMED,
    ACKING,
    SETTLED,
    /** The claim had ended before the ack arrived. */
    ENDED
  }

  private final Object owner;
  private final ObjectId token;
  private final ObjectId id;
  private final Message message;

  State state = State.CLAIMED;

  /** The ack that is under way; null unless {@link State#ACKING}. */
  @Nullable CompletableFuture<Void> acking;

  /**
   * A claim that was made.
   *
   * @param owner what the receiver knows its own deliveries by
   * @param token of the claim
   * @param id of the message's document
   */
  MongoDelivery(Object owner, ObjectId token, ObjectId id, Message message) {
    this.owner = owner;
    this.token = token;
    this.id = id;
    this.message = message;
  }

  @Override
  public Message message() {
    return message;
  }

  Object owner() {
    return owner;
  }

  ObjectId token() {
    return token;
  }

  ObjectId id() {
    return id;
  }
}
