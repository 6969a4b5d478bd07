package org.mqproof.eventstore;

import io.kurrent.dbclient.proto.shared.Shared;
import java.util.UUID;

/**
 * Names an event of a stream for good: the server takes an event with the same id for the same one,
 * and acks name events by it. Immutable.
 */
record EventId(long most, long least) {

  /** One that nobody has had. */
  static EventId random() {
    UUID random = UUID.randomUUID();
    return new EventId(random.getMostSignificantBits(), random.getLeastSignificantBits());
  }

  static EventId of(Shared.UUID id) {
    if (id.hasStructured()) {
      return new EventId(
          id.getStructured().getMostSignificantBits(),
          id.getStructured().getLeastSignificantBits());
    }
    UUID text = UUID.fromString(id.getString());
    return new EventId(text.getMostSignificantBits(), text.getLeastSignificantBits());
  }

  Shared.UUID onTheWire() {
    return Shared.UUID
        .newBuilder()
        .setStructured(
            Shared.UUID
                .Structured
                .newBuilder()
                .setMostSignificantBits(most)
                .setLeastSignificantBits(least))
        .build();
  }

  @Override
  public String toString() {
    return new UUID(most, least).toString();
  }
}
