package org.mqproof.mongodb;

import static com.mongodb.client.model.Aggregates.match;
import static com.mongodb.client.model.Aggregates.project;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Projections.include;

import com.mongodb.MongoException;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.mqproof.support.ClaimingReceiver;

/**
 * Wakes the receivers of one queue when there is something new. Those that wait longer than a
 * moment share a change stream, in which the server itself waits; while nobody waits so long, there
 * is none, and a busy queue pays nothing for it. Where it cannot be had, as on a server without a
 * replica set, its users look again after short pauses.
 *
 * <p>A wake-up is a hint and nothing rests on it.
 *
 * <p>Thread-safe, by one lock.
 */
final class Arrivals {

  /** How long the server waits for news before it says that there are none. */
  private static final long SERVER_WAITS_MILLIS = 500;

  /** How long to go on watching when nobody waits. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How long not to try again when watching failed. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** While news are watched for, only an expired claim is found by looking. */
  private static final long WATCHED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final List<Bson> NEWS =
      List.of(
          match(
              or(
                  eq("operationType", "insert"),
                  eq("updateDescription.updatedFields." + Fields.UNTIL, Fields.FREE))),
          project(include("_id")));

  private final Server server;
  private final MongoCollection<RawBsonDocument> collection;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private long generation;
  private int waiting;
  private long lastWaitNanos;
  private boolean watching;
  private boolean live;
  private long notBeforeNanos = System.nanoTime();

  Arrivals(Server server, MongoCollection<RawBsonDocument> collection) {
    this.server = server;
    this.collection = collection;
  }

  /** Changes with every wake-up; to be asked before looking for messages. */
  long generation() {
    lock.lock();
    try {
      return generation;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a wake-up since a generation. Who has waited for more than a moment is watched for.
   *
   * @param pauseNanos longest wait unless news are watched for
   * @param leftNanos longest wait
   */
  void await(long since, long pauseNanos, long leftNanos) throws InterruptedException {
    lock.lockInterruptibly();
    waiting++;
    try {
      boolean patient = pauseNanos >= ClaimingReceiver.LONGEST_PAUSE_NANOS;
      if (patient && !watching && System.nanoTime() - notBeforeNanos >= 0) {
        watching = true;
        server.calls().execute(this::watch);
      }
      long left = Math.min(leftNanos, live ? WATCHED_PAUSE_NANOS : pauseNanos);
      while (generation == since && left > 0) {
        left = news.awaitNanos(left);
      }
    } finally {
      waiting--;
      lastWaitNanos = System.nanoTime();
      lock.unlock();
    }
  }

  // In a thread of the server's.

  private void watch() {
    try (MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> cursor =
        collection.watch(NEWS).maxAwaitTime(SERVER_WAITS_MILLIS, TimeUnit.MILLISECONDS).cursor()) {
      wakeUp(); // for what came before the stream began
      while (isWanted()) {
        if (cursor.tryNext() != null) {
          skipRest(cursor);
          wakeUp();
        } else if (cursor.getServerCursor() == null) {
          // The server ends it with the collection. Each further look would return at once.
          restFromWatching();
          return;
        }
      }
    } catch (MongoException | IllegalStateException e) {
      // Receivers run into the same error if it is one; until then they look again and again.
      restFromWatching();
    } finally {
      ended();
    }
  }

  /** What came in the same answer is the same news. */
  private static void skipRest(MongoChangeStreamCursor<?> cursor) {
    for (int left = cursor.available(); left > 0; left--) {
      Object unused = cursor.tryNext();
    }
  }

  private boolean isWanted() {
    lock.lock();
    try {
      return waiting > 0 || System.nanoTime() - lastWaitNanos < LINGER_NANOS;
    } finally {
      lock.unlock();
    }
  }

  private void wakeUp() {
    lock.lock();
    try {
      live = true;
      generation++;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void restFromWatching() {
    lock.lock();
    try {
      notBeforeNanos = System.nanoTime() + REST_NANOS;
    } finally {
      lock.unlock();
    }
  }

  /** Who slept because news were watched for must go on looking. */
  private void ended() {
    lock.lock();
    try {
      watching = false;
      if (live) {
        live = false;
        generation++;
        news.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }
}
