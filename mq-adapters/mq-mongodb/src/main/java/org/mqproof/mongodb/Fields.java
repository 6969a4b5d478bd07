package org.mqproof.mongodb;

import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.mqproof.Message;

/**
 * The document of a message: its id, the slot it is in, until when it is hidden, the token of the
 * claim that hides it, and its body. Thread-safe: no state.
 */
final class Fields {

  static final String ID = "_id";
  static final String SLOT = "slot";
  static final String UNTIL = "until";
  static final String CLAIM = "claim";
  static final String BODY = "body";

  /** Free messages of a slot stand together, oldest first, and then the claimed ones by expiry. */
  static final List<String> INDEX = List.of(SLOT, UNTIL, ID);

  /** A message that nobody claims is hidden until a moment that is over on every clock. */
  static final BsonDateTime FREE = new BsonDateTime(0);

  private Fields() {}

  /** The document of a new message. */
  static BsonDocument newMessage(int slot, Message message) {
    return new BsonDocument(ID, new BsonObjectId(new ObjectId()))
        .append(SLOT, new BsonInt32(slot))
        .append(UNTIL, FREE)
        .append(BODY, new BsonBinary(message.body()));
  }

  static ObjectId id(RawBsonDocument message) {
    return message.getObjectId(ID).getValue();
  }

  static byte[] body(RawBsonDocument message) {
    return message.getBinary(BODY).getData();
  }
}
