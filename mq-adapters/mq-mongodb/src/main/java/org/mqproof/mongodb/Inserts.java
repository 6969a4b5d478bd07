package org.mqproof.mongodb;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/**
 * What one sender has to insert. A few inserts are under way at a time; what comes meanwhile
 * gathers for the next one. Each insert is unordered, so that a message that is refused does not
 * stop those behind it.
 *
 * <p>Thread-safe, by one lock. Batches are completed outside of it.
 */
final class Inserts {

  private static final int MOST_UNDER_WAY = 4;
  private static final int MOST_MESSAGES = 1_000;
  private static final int MOST_BYTES = 16 << 20;

  /** Messages that wait or are under way, beyond which a further batch has to wait. */
  private static final int WINDOW = 10_000;

  /** How long a queue is taken to be there after a look. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

  /** One message of a batch. */
  private record Piece(SendBatch batch, int index) {}

  private final Server server;
  private final Queues queues;
  private final Queues.Queue queue;
  private final MongoCollection<BsonDocument> collection;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Piece> waiting = new ArrayDeque<>();
  private final Set<SendBatch> open = new LinkedHashSet<>();
  private int messages;
  private int underWay;
  private volatile long lastLookNanos;

  /** For a queue that was just seen. */
  Inserts(Server server, Queues queues, Queues.Queue queue) {
    this.server = server;
    this.queues = queues;
    this.queue = queue;
    collection = queues.messages(queue).withDocumentClass(BsonDocument.class);
    lastLookNanos = System.nanoTime();
  }

  /**
   * Takes over a batch, when there is room for it.
   *
   * @throws InterruptedException while it waited for room; nothing of it is sent then
   */
  void add(SendBatch batch) throws InterruptedException {
    List<SendBatch> ended = new ArrayList<>();
    lock.lockInterruptibly();
    try {
      while (messages >= WINDOW) {
        long left = batch.deadlineNanos() - System.nanoTime();
        if (left <= 0) {
          rejectAll(batch, new MqException("no room for more messages in time"), ended);
          return;
        }
        long unused = changed.awaitNanos(left);
      }
      open.add(batch);
      for (int i = 0; i < batch.size(); i++) {
        if (batch.isTooLarge(i)) {
          settle(
              new Piece(batch, i),
              Outcome.REJECTED,
              new MqException("a body of %d bytes is too large".formatted(batch.body(i).length)),
              ended);
        } else {
          waiting.add(new Piece(batch, i));
          messages++;
        }
      }
      startMore();
    } finally {
      lock.unlock();
      ended.forEach(SendBatch::complete);
    }
  }

  /** Rejects a batch of which nothing was taken over. */
  void reject(SendBatch batch, Exception cause) {
    List<SendBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      rejectAll(batch, cause, ended);
    } finally {
      lock.unlock();
    }
    ended.forEach(SendBatch::complete);
  }

  private void rejectAll(SendBatch batch, Exception cause, List<SendBatch> ended) {
    for (int i = 0; i < batch.size(); i++) {
      settle(new Piece(batch, i), Outcome.REJECTED, cause, ended);
    }
  }

  private void settle(
      Piece piece, Outcome outcome, @Nullable Throwable cause, List<SendBatch> ended) {
    if (piece.batch().settle(piece.index(), outcome, cause)) {
      open.remove(piece.batch());
      ended.add(piece.batch());
    }
  }

  private void startMore() {
    while (underWay < MOST_UNDER_WAY && !waiting.isEmpty()) {
      List<Piece> pieces = new ArrayList<>();
      long bytes = 0;
      while (!waiting.isEmpty() && pieces.size() < MOST_MESSAGES && bytes < MOST_BYTES) {
        Piece piece = waiting.removeFirst();
        pieces.add(piece);
        bytes += piece.batch().body(piece.index()).length;
      }
      underWay++;
      server.execute(() -> insert(pieces));
    }
  }

  // In a thread of the server's.

  private void insert(List<Piece> pieces) {
    Outcome[] outcomes = new Outcome[pieces.size()];
    Throwable failure = null;
    try {
      int slot = ThreadLocalRandom.current().nextInt(queue.slots());
      List<BsonDocument> documents = new ArrayList<>(pieces.size());
      for (Piece piece : pieces) {
        // A copy: the driver may send it again when the batch has been given up, and its bodies
        // are the caller's again.
        documents.add(Fields.newMessage(slot, piece.batch().body(piece.index()).clone()));
      }
      failure = tryInsert(documents, outcomes);
    } finally {
      ended(pieces, outcomes, failure);
    }
  }

  private @Nullable Throwable tryInsert(List<BsonDocument> documents, Outcome[] outcomes) {
    boolean sent = false;
    try {
      if (!queueIsThere()) {
        Arrays.fill(outcomes, Outcome.REJECTED);
        return new MqException("there is no queue " + queue.name() + " any more");
      }
      sent = true;
      var unused = collection.insertMany(documents, UNORDERED);
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
    if (now - lastLookNanos < LOOK_AGAIN_NANOS) {
      return true;
    }
    boolean there = queues.isThere(queue);
    if (there) {
      lastLookNanos = now;
    }
    return there;
  }

  /**
   * What the server says of each. It names those that it did not store. The others it stored; but
   * if not enough nodes confirmed in time, they may be rolled back.
   */
  static void judge(MongoBulkWriteException answer, Outcome[] outcomes) {
    Arrays.fill(
        outcomes, answer.getWriteConcernError() == null ? Outcome.CONFIRMED : Outcome.UNKNOWN);
    for (BulkWriteError error : answer.getWriteErrors()) {
      // Ids are ours alone: one that is there already was stored by an earlier attempt of the
      // driver, and nobody said how safely.
      boolean stored = ErrorCategory.fromErrorCode(error.getCode()) == ErrorCategory.DUPLICATE_KEY;
      outcomes[error.getIndex()] = stored ? Outcome.UNKNOWN : Outcome.REJECTED;
    }
  }

  private void ended(List<Piece> pieces, Outcome[] outcomes, @Nullable Throwable failure) {
    List<SendBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      underWay--;
      messages -= pieces.size();
      for (int i = 0; i < outcomes.length; i++) {
        settle(pieces.get(i), outcomes[i] == null ? Outcome.UNKNOWN : outcomes[i], failure, ended);
      }
      startMore();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(SendBatch::complete);
  }

  // From any thread.

  /** Gives up batches whose deadline has passed: what waits of them is not sent any more. */
  void expire(long nowNanos, Exception cause) {
    giveUp(nowNanos, cause);
  }

  /** Gives up every batch. */
  void giveUpAll(Exception cause) {
    giveUp(Long.MAX_VALUE, cause);
  }

  private void giveUp(long nowNanos, Exception cause) {
    List<SendBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      Set<SendBatch> late = new LinkedHashSet<>();
      for (SendBatch batch : open) {
        if (nowNanos == Long.MAX_VALUE || batch.deadlineNanos() - nowNanos <= 0) {
          late.add(batch);
        }
      }
      if (late.isEmpty()) {
        return;
      }
      for (Iterator<Piece> all = waiting.iterator(); all.hasNext(); ) {
        Piece piece = all.next();
        if (late.contains(piece.batch())) {
          all.remove();
          messages--;
          settle(piece, Outcome.REJECTED, cause, ended);
        }
      }
      for (SendBatch batch : late) {
        if (batch.abandon(cause)) {
          open.remove(batch);
          ended.add(batch);
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(SendBatch::complete);
  }

  /** Waits until every batch has ended; at most until a deadline, and through interrupts. */
  void awaitIdle(long deadlineNanos) {
    boolean interrupted = false;
    lock.lock();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (messages > 0 && left > 0) {
        try {
          left = changed.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
          left = deadlineNanos - System.nanoTime();
        }
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
