package org.mqproof.mongodb;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.mqproof.Message;

/**
 * The document of a message: its id, the slot it is in, until when it is hidden, the token of the
 * claim that hides it, its body, and its headers if it has any, as a document with a field of text
 * for each: other programs find {@code headers.traceparent} by name. Thread-safe: no state.
 */
final class Fields {

  static final String ID = "_id";
  static final String SLOT = "slot";
  static final String UNTIL = "until";
  static final String CLAIM = "claim";
  static final String BODY = "body";
  static final String HEADERS = "headers";

  /** Free messages of a slot stand together, oldest first, and then the claimed ones by expiry. */
  static final List<String> INDEX = List.of(SLOT, UNTIL, ID);

  /** A message that nobody claims is hidden until a moment that is over on every clock. */
  static final BsonDateTime FREE = new BsonDateTime(0);

  private Fields() {}

  /** The document of a new message. */
  static BsonDocument newMessage(int slot, Message message) {
    BsonDocument document =
        new BsonDocument(ID, new BsonObjectId(new ObjectId()))
            .append(SLOT, new BsonInt32(slot))
            .append(UNTIL, FREE)
            .append(BODY, new BsonBinary(message.body()));
    if (!message.headers().isEmpty()) {
      BsonDocument headers = new BsonDocument();
      message.headers().forEach((name, value) -> headers.put(name, new BsonString(value)));
      document.append(HEADERS, headers);
    }
    return document;
  }

  static ObjectId id(RawBsonDocument message) {
    return message.getObjectId(ID).getValue();
  }

  /** Body and headers, but for headers of other programs that are no text or not valid. */
  static Message message(RawBsonDocument document) {
    byte[] body = document.getBinary(BODY).getData();
    BsonValue headers = document.get(HEADERS);
    if (headers == null || !headers.isDocument()) {
      return new Message(body);
    }
    Map<String, String> valid = new HashMap<>();
    headers
        .asDocument()
        .forEach(
            (name, value) -> {
              if (value.isString() && Message.isValidHeader(name, value.asString().getValue())) {
                valid.put(name, value.asString().getValue());
              }
            });
    return new Message(body, valid);
  }
}
