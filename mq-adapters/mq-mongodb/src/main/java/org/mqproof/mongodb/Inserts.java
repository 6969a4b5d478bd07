package org.mqproof.mongodb;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.GatheredSends;

/**
 * How messages get into the collection of one queue. Each insert is unordered, so that a message
 * that is refused does not stop those behind it.
 *
 * <p>Thread-safe. Blocks in the driver.
 */
final class Inserts implements GatheredSends.Store {

  /** How long a queue is taken to be there after a look. */
  private static final long POLL_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

  private final Queues queues;
  private final Queues.Queue queue;
  private final MongoCollection<BsonDocument> collection;
  private volatile long lastPollNanos;

  /** For a queue that was just seen. */
  Inserts(Queues queues, Queues.Queue queue) {
    this.queues = queues;
    this.queue = queue;
    collection = queues.messages(queue).withDocumentClass(BsonDocument.class);
    lastPollNanos = System.nanoTime();
  }

  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    boolean sent = false;
    try {
      if (!queueIsThere()) {
        Arrays.fill(outcomes, Outcome.REJECTED);
        return new MqException("there is no queue " + queue.name() + " any more");
      }
      int slot = ThreadLocalRandom.current().nextInt(queue.slots());
      sent = true;
      var unused =
          collection.insertMany(
              messages.stream().map(message -> Fields.newMessage(slot, message)).toList(),
              UNORDERED);
      Arrays.fill(outcomes, Outcome.CONFIRMED);
      return null;
    } catch (MongoBulkWriteException e) {
      judge(e, outcomes);
      return e;
    } catch (MongoException e) {
      Arrays.fill(outcomes, sent ? Outcome.UNKNOWN : Outcome.REJECTED);
      return e;
    }
  }

  private boolean queueIsThere() {
    long now = System.nanoTime();
    if (now - lastPollNanos < POLL_INTERVAL_NANOS) {
      return true;
    }
    boolean there = queues.isThere(queue);
    if (there) {
      lastPollNanos = now;
    }
    return there;
  }

  /**
   * What the server says of each. It names those that it did not store. The others it stored; but
   * if not enough nodes confirmed in time, they may be rolled back.
   */
  static void judge(MongoBulkWriteException answer, @Nullable Outcome[] outcomes) {
    Arrays.fill(
        outcomes, answer.getWriteConcernError() == null ? Outcome.CONFIRMED : Outcome.UNKNOWN);
    for (BulkWriteError error : answer.getWriteErrors()) {
      // Ids are ours alone: one that is there already was stored by an earlier attempt of the
      // driver, and nobody said how safely.
      boolean stored = ErrorCategory.fromErrorCode(error.getCode()) == ErrorCategory.DUPLICATE_KEY;
      outcomes[error.getIndex()] = stored ? Outcome.UNKNOWN : Outcome.REJECTED;
    }
  }
}
