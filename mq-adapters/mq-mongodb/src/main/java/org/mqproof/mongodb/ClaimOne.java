package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.in;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;

/**
 * Claims message by message with findAndModify, as the study of 2017 did: every receiver goes for
 * the same next message, and each claim waits for its own confirm. Unlike there, the confirm is
 * waited for at all, and the server's clock decides. What a claim whose answer was lost hides comes
 * back at the end of the claim period.
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
  private final Bson next;
  private final Bson expired;
  private final Claims claims;
  private long lookedForExpiredNanos = System.nanoTime();

  ClaimOne(MongoCollection<RawBsonDocument> collection, int slots, Claims claims) {
    this.collection = collection;
    this.claims = claims;
    Bson allSlots = in(Fields.SLOT, IntStream.range(0, slots).boxed().toList());
    next = and(allSlots, Claims.CLAIMABLE);
    expired = and(allSlots, Claims.EXPIRED);
  }

  @Override
  public List<Claimed> claim(int max, Journal journal) {
    List<Claimed> result = new ArrayList<>();
    long bytes = 0;
    long start = System.nanoTime();
    boolean looks = start - lookedForExpiredNanos >= Claims.POLL_INTERVAL_NANOS;
    while (result.size() < max
        && bytes < MOST_BYTES
        && System.nanoTime() - start < claims.patienceNanos()) {
      ObjectId token = new ObjectId();
      RawBsonDocument message = looks ? claimNext(expired, token, result) : null;
      if (looks && message == null) {
        looks = false;
        lookedForExpiredNanos = start;
      }
      if (message == null) {
        message = claimNext(next, token, result);
      }
      if (message == null) {
        break;
      }
      byte[] body = Fields.body(message);
      result.add(new Claimed(token, Fields.id(message), new Message(body)));
      bytes += body.length;
    }
    return result;
  }

  /** With some claimed already an error waits for the next call, which will run into it again. */
  private @Nullable RawBsonDocument claimNext(Bson which, ObjectId token, List<Claimed> before) {
    try {
      return collection.findOneAndUpdate(which, claims.claim(token), OPTIONS);
    } catch (MongoException e) {
      if (before.isEmpty()) {
        throw e;
      }
      return null;
    }
  }
}
