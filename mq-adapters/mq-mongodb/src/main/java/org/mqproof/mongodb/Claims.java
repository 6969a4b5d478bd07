package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.in;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.mqproof.MqException;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimingReceiver;

/**
 * The requests that make, end and give back claims on the messages of one queue. An ack deletes a
 * message only while the claim under which it was delivered still holds it.
 *
 * <p>Blocks in the driver. Thread-safe, but for {@link #claim}, which is for one thread at a time.
 */
final class Claims implements ClaimingReceiver.Claims<MongoDelivery> {

  private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

  /** What a claim without an answer may hold. */
  private record Doubt(List<ObjectId> ids, long sinceNanos) {}

  private final Server server;
  private final Queues queues;
  private final Queues.Queue queue;
  private final MongoCollection<RawBsonDocument> collection;
  private final Claiming claiming;
  private final Clauses clauses;
  private final Arrivals arrivals;
  private final long overAfterNanos;

  /** By the token of the claim. */
  private final Map<ObjectId, Doubt> doubts = new ConcurrentHashMap<>();

  private long lastPollNanos = System.nanoTime();

  Claims(Server server, Queues queues, Queues.Queue queue, Claiming claiming, Arrivals arrivals) {
    this.server = server;
    this.queues = queues;
    this.queue = queue;
    this.claiming = claiming;
    this.arrivals = arrivals;
    collection = queues.messages(queue);
    clauses = new Clauses(server.settings().bounds());
    overAfterNanos = server.settings().bounds().over().toNanos();
  }

  @Override
  public List<MongoDelivery> claim(int max, AckRounds<MongoDelivery> owner) {
    long now = System.nanoTime();
    doubts.values().removeIf(doubt -> now - doubt.sinceNanos() >= overAfterNanos);
    List<ObjectId> tokens = new ArrayList<>();
    List<Claiming.Claimed> claimed =
        claiming.claim(
            max,
            (token, ids) -> {
              tokens.add(token);
              doubts.put(token, new Doubt(ids, now));
            });
    doubts.keySet().removeAll(tokens); // an answer came
    if (claimed.isEmpty()) {
      requireQueue();
    }
    List<MongoDelivery> deliveries = new ArrayList<>(claimed.size());
    for (Claiming.Claimed claim : claimed) {
      deliveries.add(new MongoDelivery(owner, claim.token(), claim.id(), claim.message()));
    }
    return deliveries;
  }

  /** A queue that is gone looks empty. */
  private void requireQueue() {
    long now = System.nanoTime();
    if (now - lastPollNanos >= TimeUnit.SECONDS.toNanos(1)) {
      lastPollNanos = now;
      if (!queues.isThere(queue)) {
        throw new MqException("there is no queue " + queue.name() + " any more");
      }
    }
  }

  /** How many claims had no answer, and are not over. */
  int doubts() {
    return doubts.size();
  }

  /** Deletes what is still ours; what is not, and is still there, may come back. */
  @Override
  public Set<MongoDelivery> settle(Collection<MongoDelivery> deliveries) {
    try {
      return delete(deliveries);
    } catch (MongoException | IllegalStateException e) { // the latter if the client is closed
      throw server.calls().failed("ack messages of queue " + queue.name(), e);
    }
  }

  private Set<MongoDelivery> delete(Collection<MongoDelivery> deliveries) {
    int deleted =
        collection
            .bulkWrite(models(byToken(deliveries), DeleteManyModel::new), UNORDERED)
            .getDeletedCount();
    if (deleted == deliveries.size()) {
      return Set.of();
    }
    Set<ObjectId> stillThere =
        collection
            .find(in(Fields.ID, deliveries.stream().map(MongoDelivery::id).toList()))
            .projection(Projections.include(Fields.ID))
            .map(Fields::id)
            .into(new HashSet<>());
    return deliveries.stream()
        .filter(delivery -> stillThere.contains(delivery.id()))
        .collect(Collectors.toSet());
  }

  /** A claim whose period is over is still ours while nobody else has made one. */
  @Override
  public Set<MongoDelivery> extend(Collection<MongoDelivery> deliveries) {
    Map<ObjectId, Set<ObjectId>> byToken = byToken(deliveries);
    List<WriteModel<RawBsonDocument>> extensions =
        models(byToken, filter -> new UpdateManyModel<>(filter, clauses.extension()));
    if (collection.bulkWrite(extensions, UNORDERED).getMatchedCount() == deliveries.size()) {
      return Set.of();
    }
    Set<ObjectId> ours = new HashSet<>();
    byToken.forEach((token, ids) -> ClaimBatch.idsWith(collection, token, ids, ours));
    return deliveries.stream()
        .filter(delivery -> !ours.contains(delivery.id()))
        .collect(Collectors.toSet());
  }

  @Override
  public boolean free(Collection<MongoDelivery> deliveries) {
    return free(byToken(deliveries));
  }

  @Override
  public boolean freeAll(Collection<MongoDelivery> held) {
    Map<ObjectId, Set<ObjectId>> byToken = byToken(held);
    doubts.forEach((token, doubt) -> byToken.put(token, Set.copyOf(doubt.ids())));
    return free(byToken);
  }

  private boolean free(Map<ObjectId, Set<ObjectId>> byToken) {
    return !byToken.isEmpty()
        && collection
                .bulkWrite(
                    models(byToken, filter -> new UpdateManyModel<>(filter, Clauses.freeAgain())),
                    UNORDERED)
                .getModifiedCount()
            > 0;
  }

  private static Map<ObjectId, Set<ObjectId>> byToken(Collection<MongoDelivery> deliveries) {
    Map<ObjectId, Set<ObjectId>> byToken = new HashMap<>();
    for (MongoDelivery delivery : deliveries) {
      byToken.computeIfAbsent(delivery.token(), none -> new HashSet<>()).add(delivery.id());
    }
    return byToken;
  }

  private static List<WriteModel<RawBsonDocument>> models(
      Map<ObjectId, Set<ObjectId>> byToken, Function<Bson, WriteModel<RawBsonDocument>> model) {
    List<WriteModel<RawBsonDocument>> models = new ArrayList<>(byToken.size());
    byToken.forEach((token, ids) -> models.add(model.apply(Clauses.heldBy(token, ids))));
    return models;
  }

  @Override
  public long generation() {
    return arrivals.generation();
  }

  @Override
  public void awaitNews(long since, long pauseNanos, long leftNanos) throws InterruptedException {
    arrivals.await(since, pauseNanos, leftNanos);
  }
}
