package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;

/**
 * Claims many messages by one update: finds some that are free, and puts the token of a new claim
 * into those of them that are still free. The server looks at each again while it has it for
 * itself, so of several receivers that found the same message one gets it.
 *
 * <p>What the update changed is ours. If that was everything that was found, as mostly, then there
 * is nothing more to ask. Else a last look tells which of them carry the token.
 *
 * <p>Each receiver begins at a slot of its own choice, so that they seldom find the same messages.
 *
 * <p>For one thread at a time.
 */
final class ClaimBatch implements Claiming {

  /** One claim is one update; a larger one only keeps others waiting. */
  private static final int MOST_MESSAGES = 1_000;

  private final MongoCollection<RawBsonDocument> collection;
  private final int slots;
  private final Bson allSlots;
  private final Clauses clauses;
  private int slot;
  private long lookedForExpiredNanos;
  private boolean foundNothing;

  ClaimBatch(MongoCollection<RawBsonDocument> collection, int slots, Clauses clauses) {
    this.collection = collection;
    this.slots = slots;
    this.clauses = clauses;
    allSlots = in(Fields.SLOT, IntStream.range(0, slots).boxed().toList());
    slot = ThreadLocalRandom.current().nextInt(slots);
    lookedForExpiredNanos = System.nanoTime();
  }

  @Override
  public List<Claimed> claim(int max, Journal journal) {
    int most = Math.min(max, MOST_MESSAGES);
    List<RawBsonDocument> found = List.of();
    long now = System.nanoTime();
    if (now - lookedForExpiredNanos >= Clauses.POLL_INTERVAL_NANOS) {
      found = find(and(allSlots, Clauses.EXPIRED), most);
      if (found.isEmpty()) {
        lookedForExpiredNanos = now; // not before all are claimed
      }
    }
    if (found.isEmpty() && !foundNothing) {
      slot = (slot + 1) % slots;
      found = find(and(eq(Fields.SLOT, slot), eq(Fields.UNTIL, Fields.FREE)), most);
    }
    if (found.isEmpty()) {
      found = find(and(allSlots, Clauses.CLAIMABLE), most); // free or expired
    }
    foundNothing = found.isEmpty();
    return foundNothing ? List.of() : claim(found, journal);
  }

  /**
   * At most as many as fit into one answer of the server, 16 MiB: the rest stays where it is. The
   * driver takes a negative batch size for the wish to have one answer of that size.
   */
  private List<RawBsonDocument> find(Bson filter, int most) {
    FindIterable<RawBsonDocument> found =
        collection.find(filter).hint(Indexes.ascending(Fields.INDEX)).limit(most).batchSize(-most);
    return found.into(new ArrayList<>());
  }

  private List<Claimed> claim(List<RawBsonDocument> found, Journal journal) {
    List<ObjectId> ids = found.stream().map(Fields::id).toList();
    ObjectId token = new ObjectId();
    journal.mayClaim(token, ids);
    long claimed =
        collection
            .updateMany(and(in(Fields.ID, ids), Clauses.CLAIMABLE), clauses.claim(token))
            .getModifiedCount();
    if (claimed == 0) {
      return List.of();
    }
    Set<ObjectId> ours =
        claimed == ids.size()
            ? new HashSet<>(ids)
            : idsWith(collection, token, ids, new HashSet<>());
    List<Claimed> result = new ArrayList<>(ours.size());
    for (RawBsonDocument message : found) {
      ObjectId id = Fields.id(message);
      if (ours.contains(id)) {
        result.add(new Claimed(token, id, Fields.message(message)));
      }
    }
    return result;
  }

  /** Adds those that are held by a claim. */
  static Set<ObjectId> idsWith(
      MongoCollection<RawBsonDocument> collection,
      ObjectId token,
      Collection<ObjectId> ids,
      Set<ObjectId> ours) {
    return collection
        .find(Clauses.heldBy(token, ids))
        .projection(Projections.include(Fields.ID))
        .map(Fields::id)
        .into(ours);
  }
}
