package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.mqproof.support.ClaimingMq;

/** What the server is asked to make, check and end claims; all by its own clock. Immutable. */
final class Clauses {

  /** Free, or claimed until a moment that is over: {@code $$NOW} is the server's time. */
  static final Bson CLAIMABLE =
      new Document("$expr", new Document("$lte", List.of("$" + Fields.UNTIL, "$$NOW")));

  /**
   * Claimed until a moment that is over. To be asked for by itself now and then: in the order of
   * the index these come after every free message of their slot, and behind a backlog never.
   */
  static final Bson EXPIRED = and(gt(Fields.UNTIL, Fields.FREE), CLAIMABLE);

  /** How often to look for expired claims while there are free messages. */
  static final long POLL_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Bson FREE_AGAIN =
      combine(set(Fields.UNTIL, Fields.FREE), unset(Fields.CLAIM));

  private final ClaimingMq.Bounds bounds;

  Clauses(ClaimingMq.Bounds bounds) {
    this.bounds = bounds;
  }

  /** Hides a message from now on for the claim period, and until it is handed out. */
  List<Bson> claim(ObjectId token) {
    return List.of(new Document("$set", hidden().append(Fields.CLAIM, token)));
  }

  /** Hides a claimed message for as long again. */
  List<Bson> extension() {
    return List.of(new Document("$set", hidden()));
  }

  private Document hidden() {
    return new Document(
        Fields.UNTIL, new Document("$add", List.of("$$NOW", bounds.hidden().toMillis())));
  }

  /** How long a receiver may go on claiming before it hands over what it claimed first. */
  long patienceNanos() {
    return bounds.hold().toNanos() / 2;
  }

  /** Those that are still held by this claim. */
  static Bson heldBy(ObjectId token, Collection<ObjectId> ids) {
    return and(in(Fields.ID, ids), eq(Fields.CLAIM, token));
  }

  /** Gives a message back. */
  static Bson freeAgain() {
    return FREE_AGAIN;
  }
}
