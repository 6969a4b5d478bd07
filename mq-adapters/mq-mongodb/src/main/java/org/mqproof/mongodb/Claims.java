package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;

/** What the server is asked to make, check and end claims; all by its own clock. Immutable. */
final class Claims {

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

  private static final Duration LEAST_HOLD = Duration.ofSeconds(1);

  private static final Bson FREE_AGAIN =
      combine(set(Fields.UNTIL, Fields.FREE), unset(Fields.CLAIM));

  private final Duration hold;
  private final long hiddenMillis;

  Claims(Duration period) {
    hold = hold(period);
    hiddenMillis = period.plus(hold).toMillis();
  }

  /**
   * How long what was claimed may take until it is handed out, with the whole claim period still
   * before it: a quarter of the period, and never less than a slow answer of the server takes.
   */
  static Duration hold(Duration period) {
    Duration quarter = period.dividedBy(4);
    return quarter.compareTo(LEAST_HOLD) > 0 ? quarter : LEAST_HOLD;
  }

  long holdNanos() {
    return hold.toNanos();
  }

  /** After so long a claim is over, unless its answer is very late. */
  long overAfterNanos() {
    return TimeUnit.MILLISECONDS.toNanos(hiddenMillis) + holdNanos();
  }

  /** Hides a message from now on for the claim period, and until it is handed out. */
  List<Bson> claim(ObjectId token) {
    Document until = new Document("$add", List.of("$$NOW", hiddenMillis));
    return List.of(
        new Document("$set", new Document(Fields.UNTIL, until).append(Fields.CLAIM, token)));
  }

  /** How long a receiver may go on claiming before it hands over what it claimed first. */
  long patienceNanos() {
    return holdNanos() / 2;
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
