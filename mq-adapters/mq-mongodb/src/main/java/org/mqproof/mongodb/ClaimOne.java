package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.mqproof.Message;

/**
 * Claims message by message with findAndModify, as the study of 2017 did: each claim waits for its
 * own confirm. Unlike there, the confirm is waited for at all, and the server's clock decides. What
 * a claim whose answer was lost hides comes back at the end of the claim period.
 *
 * <p>Each call begins at another slot. A call that always began at the first would never get to the
 * last while new messages come to those before it. With one slot, as in the study, every receiver
 * goes for the same next message.
 *
 * <p>For one thread at a time.
 */
final class ClaimOne implements Claiming {

  /** Bodies that one call brings together, if they are large. */
  private static final int MOST_BYTES = 16 << 20;

  private static final FindOneAndUpdateOptions OPTIONS =
      new FindOneAndUpdateOptions()
          .hint(Indexes.ascending(Fields.INDEX))
          .returnDocument(ReturnDocument.AFTER);

  private final MongoCollection<RawBsonDocument> collection;
  private final int slots;
  private final Bson expired;
  private final Bson next;
  private final Clauses clauses;
  private int slot;
  private long lookedForExpiredNanos = System.nanoTime();
  private boolean foundNothing;

  ClaimOne(MongoCollection<RawBsonDocument> collection, int slots, Clauses clauses) {
    this.collection = collection;
    this.slots = slots;
    this.clauses = clauses;
    Bson allSlots = in(Fields.SLOT, IntStream.range(0, slots).boxed().toList());
    expired = and(allSlots, Clauses.EXPIRED);
    next = and(allSlots, Clauses.CLAIMABLE);
    slot = ThreadLocalRandom.current().nextInt(slots);
  }

  @Override
  public List<Claimed> claim(int max, Journal journal) {
    List<Claimed> result = new ArrayList<>();
    long bytes = 0;
    long start = System.nanoTime();
    Deque<Bson> looks = looks(start);
    while (!looks.isEmpty()
        && result.size() < max
        && bytes < MOST_BYTES
        && System.nanoTime() - start < clauses.patienceNanos()) {
      ObjectId token = new ObjectId();
      RawBsonDocument document;
      try {
        document = collection.findOneAndUpdate(looks.element(), clauses.claim(token), OPTIONS);
      } catch (MongoException e) {
        if (result.isEmpty()) {
          throw e;
        }
        break; // the next call will run into it again
      }
      if (document == null) {
        if (looks.remove().equals(expired)) {
          lookedForExpiredNanos = start; // not before all are claimed
        }
      } else {
        Message message = Fields.message(document);
        result.add(new Claimed(token, Fields.id(document), message));
        bytes += message.sizeBytes();
      }
    }
    foundNothing = result.isEmpty();
    return result;
  }

  /** Where to look, one after the other, each until there is nothing more. */
  private Deque<Bson> looks(long now) {
    Deque<Bson> looks = new ArrayDeque<>();
    if (now - lookedForExpiredNanos >= Clauses.POLL_INTERVAL_NANOS) {
      looks.add(expired);
    }
    if (slots > 1 && !foundNothing) {
      slot = (slot + 1) % slots;
      looks.add(and(eq(Fields.SLOT, slot), eq(Fields.UNTIL, Fields.FREE)));
    }
    looks.add(next);
    return looks;
  }
}
