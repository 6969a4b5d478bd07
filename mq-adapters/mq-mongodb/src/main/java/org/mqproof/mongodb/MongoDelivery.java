package org.mqproof.mongodb;

import org.bson.types.ObjectId;
import org.mqproof.Message;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimedDelivery;

/** A document and the claim that a receiver has on it. */
final class MongoDelivery extends ClaimedDelivery {

  private final ObjectId token;
  private final ObjectId id;

  /**
   * A claim that was made.
   *
   * @param token of the claim
   * @param id of the message's document
   */
  MongoDelivery(AckRounds<?> owner, ObjectId token, ObjectId id, Message message) {
    super(owner, message);
    this.token = token;
    this.id = id;
  }

  ObjectId token() {
    return token;
  }

  ObjectId id() {
    return id;
  }
}
