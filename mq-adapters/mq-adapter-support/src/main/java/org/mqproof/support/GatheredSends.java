package org.mqproof.support;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/**
 * Gathers the messages of one sender into requests. A few requests are under way at a time, and
 * messages that arrive meanwhile go together with the next one.
 *
 * <p>Thread-safe, by one lock. Batches are completed outside of it.
 */
public final class GatheredSends {

  private static final int MOST_UNDER_WAY = 4;
  private static final int MOST_MESSAGES = 1_000;
  private static final int MOST_BYTES = 16 << 20;

  /** A further batch waits while so many messages wait or are under way. */
  private static final int WINDOW = 10_000;

  /** Stores messages. Called in several threads that may block. */
  public interface Store {

    /**
     * Stores messages in one request.
     *
     * @param messages with bodies that are the store's; it may keep and change the list
     * @param outcomes one per message, filled in by the store; null means UNKNOWN
     * @return why not all were confirmed, or null
     */
    @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes);
  }

  /** One message of a batch. */
  private record Piece(PendingBatch batch, int index) {
    Message message() {
      return batch.message(index);
    }
  }

  private final Store store;
  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Piece> waiting = new ArrayDeque<>();
  private final Set<PendingBatch> open = new LinkedHashSet<>();
  private int messages;
  private int underWay;

  /**
   * Creates it without messages.
   *
   * @param store destination
   * @param threads run the store
   */
  GatheredSends(Store store, Executor threads) {
    this.store = store;
    this.threads = threads;
  }

  /**
   * Adds a batch as soon as there is room.
   *
   * @param batch at least one message
   * @throws InterruptedException if interrupted while waiting; nothing was sent
   */
  void add(PendingBatch batch) throws InterruptedException {
    List<PendingBatch> ended = new ArrayList<>();
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
      if (batch.rejectRefused()) {
        ended.add(batch);
        return;
      }
      open.add(batch);
      for (int i = 0; i < batch.size(); i++) {
        if (!batch.isRefused(i)) {
          waiting.add(new Piece(batch, i));
          messages++;
        }
      }
      startMore();
    } finally {
      lock.unlock();
      ended.forEach(PendingBatch::complete);
    }
  }

  private void rejectAll(PendingBatch batch, Exception cause, List<PendingBatch> ended) {
    for (int i = 0; i < batch.size(); i++) {
      settle(new Piece(batch, i), Outcome.REJECTED, cause, ended);
    }
  }

  private void settle(
      Piece piece, Outcome outcome, @Nullable Throwable cause, List<PendingBatch> ended) {
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
        bytes += piece.message().sizeBytes();
      }
      underWay++;
      threads.execute(() -> store(pieces));
    }
  }

  // In one of the threads.

  private void store(List<Piece> pieces) {
    @Nullable Outcome[] outcomes = new @Nullable Outcome[pieces.size()];
    Throwable failure = null;
    try {
      List<Message> copies = new ArrayList<>(pieces.size());
      for (Piece piece : pieces) {
        // A client may send it again when the batch has been given up, and its bodies are the
        // caller's again.
        copies.add(copy(piece.message()));
      }
      failure = store.store(copies, outcomes);
    } finally {
      ended(pieces, outcomes, failure);
    }
  }

  private static Message copy(Message message) {
    byte[] body = message.body().clone();
    return message.headers().isEmpty() ? new Message(body) : new Message(body, message.headers());
  }

  private void ended(
      List<Piece> pieces, @Nullable Outcome[] outcomes, @Nullable Throwable failure) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      underWay--;
      messages -= pieces.size();
      for (int i = 0; i < outcomes.length; i++) {
        Outcome outcome = outcomes[i];
        settle(pieces.get(i), outcome == null ? Outcome.UNKNOWN : outcome, failure, ended);
      }
      startMore();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
  }

  // From any thread.

  /**
   * Gives up batches whose deadline has passed: what waits of them is not sent any more.
   *
   * @param nowNanos the time, as {@link System#nanoTime()} tells it
   * @param cause why
   */
  void expire(long nowNanos, Exception cause) {
    giveUp(batch -> batch.deadlineNanos() - nowNanos <= 0, cause);
  }

  /**
   * Gives up one batch. What was not added is rejected.
   *
   * @param batch at least one message
   * @param cause why
   */
  void giveUp(PendingBatch batch, Exception cause) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      if (!open.contains(batch)) {
        rejectAll(batch, cause, ended);
      }
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
    giveUp(late -> late == batch, cause);
  }

  /**
   * Gives up every batch.
   *
   * @param cause why
   */
  void giveUpAll(Exception cause) {
    giveUp(batch -> true, cause);
  }

  private void giveUp(Predicate<PendingBatch> which, Exception cause) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      Set<PendingBatch> late = new LinkedHashSet<>();
      for (PendingBatch batch : open) {
        if (which.test(batch)) {
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
      for (PendingBatch batch : late) {
        if (batch.abandon(cause)) {
          open.remove(batch);
          ended.add(batch);
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
  }

  /**
   * Waits until every batch has ended; at most until a deadline, and through interrupts.
   *
   * @param deadlineNanos as {@link System#nanoTime()} tells it
   */
  void awaitIdle(long deadlineNanos) {
    lock.lock();
    try {
      boolean unused = BoundedWaits.await(changed, () -> messages == 0, deadlineNanos);
    } finally {
      lock.unlock();
    }
  }
}
