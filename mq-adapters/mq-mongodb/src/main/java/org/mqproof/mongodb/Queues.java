package org.mqproof.mongodb;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.Promise;

/**
 * Which queues there are, and the collection of each. MongoDB makes a collection of whatever name
 * is written to, and so the name of a deleted queue's collection is never used again: what is still
 * sent to it cannot come up in a later queue of the same name.
 *
 * <p>Thread-safe: no state of its own. Its methods block in the driver.
 */
final class Queues {

  private static final String REGISTRY = "queues";
  private static final String COLLECTION = "collection";
  private static final String SLOTS = "slots";

  /** A code of the server's errors. */
  private static final int UNAUTHORIZED = 13;

  private final MongoSettings settings;
  private final MongoDatabase database;

  Queues(MongoSettings settings, MongoDatabase database) {
    this.settings = settings;
    this.database = database;
  }

  /** A queue's collection, for as long as the queue is not deleted. */
  record Queue(String name, String collection, int slots) {}

  /** In every mode: an entry that is rolled back would make a queue's messages look deleted. */
  private MongoCollection<Document> registry() {
    return database
        .getCollection(REGISTRY)
        .withWriteConcern(settings.writeConcern().withW("majority"));
  }

  MongoCollection<RawBsonDocument> messages(Queue queue) {
    return database.getCollection(queue.collection(), RawBsonDocument.class);
  }

  /** The index comes first: whoever finds the queue can rely on it. */
  void create(String name) {
    Queue existing = find(name);
    if (existing != null) {
      requirePromise(existing);
      return;
    }
    int slots = settings.get(MongoSettings.SLOTS);
    Queue queue = new Queue(name, "queue." + name + "." + new ObjectId().toHexString(), slots);
    String unused =
        messages(queue)
            .withWriteConcern(registry().getWriteConcern())
            .createIndex(Indexes.ascending(Fields.INDEX));
    try {
      var unusedResult =
          registry()
              .insertOne(
                  new Document("_id", name)
                      .append(COLLECTION, queue.collection())
                      .append(SLOTS, slots));
    } catch (MongoWriteException e) {
      if (e.getError().getCategory() != ErrorCategory.DUPLICATE_KEY) {
        throw e;
      }
      messages(queue).drop(); // somebody else created it meanwhile
    }
  }

  /** The name goes first: whoever still finds the collection finds out that the queue is gone. */
  void delete(String name) {
    Queue queue = find(name);
    if (queue != null) {
      var unused = registry().deleteOne(Filters.and(Filters.eq(name), isOf(queue)));
      messages(queue).drop();
    }
  }

  /** The queue of that name, or null. */
  @Nullable Queue find(String name) {
    return find(registry(), name);
  }

  private static @Nullable Queue find(MongoCollection<Document> registry, String name) {
    Document entry = registry.find(Filters.eq(name)).first();
    return entry == null
        ? null
        : new Queue(name, entry.getString(COLLECTION), entry.getInteger(SLOTS));
  }

  /**
   * The queue of that name.
   *
   * @throws MqException if there is none, or it cannot keep what the settings promise
   */
  Queue get(String name) {
    Queue queue = find(name);
    if (queue == null) {
      throw new MqException("there is no queue " + name);
    }
    requirePromise(queue);
    return queue;
  }

  /** Refuses a collection that drops documents. Without the right to see it nothing is checked. */
  private void requirePromise(Queue queue) {
    if (!settings.get(MongoSettings.CHECK_QUEUE)) {
      return;
    }
    List<String> broken = new ArrayList<>();
    try {
      for (Document collection :
          database.listCollections().filter(Filters.eq("name", queue.collection()))) {
        Document options = collection.get("options", new Document());
        if (options.getBoolean("capped", false)) {
          broken.add("capped is true, must be false");
        }
      }
      for (Document index : database.getCollection(queue.collection()).listIndexes()) {
        Object seconds = index.get("expireAfterSeconds");
        if (seconds != null) {
          broken.add("expireAfterSeconds is %s, must be none".formatted(seconds));
        }
      }
    } catch (MongoCommandException e) {
      if (e.getErrorCode() != UNAUTHORIZED) {
        throw e;
      }
    }
    Promise.require(
        settings.endpoint(), "queue " + queue.name(), broken, MongoSettings.CHECK_QUEUE.key());
  }

  /**
   * Whether a queue has not been deleted. If it has, what was written to it since goes too; but
   * only if the node that says so is the primary and knows it, for there is no way back.
   */
  boolean isThere(Queue queue) {
    if (queue.equals(find(queue.name()))) {
      return true;
    }
    var linearizable = registry().withReadConcern(ReadConcern.LINEARIZABLE);
    if (queue.equals(find(linearizable, queue.name()))) {
      return true;
    }
    messages(queue).drop();
    return false;
  }

  private static Bson isOf(Queue queue) {
    return Filters.eq(COLLECTION, queue.collection());
  }
}
