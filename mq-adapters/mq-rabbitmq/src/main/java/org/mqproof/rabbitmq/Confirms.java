package org.mqproof.rabbitmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.PendingBatch;

/**
 * Which messages of one channel wait for their confirm, by sequence number. The broker counts a
 * channel's messages from 1 on, and confirms one of them, or all up to one.
 *
 * <p>A channel that never confirmed anything is given less time for that than one that did. On its
 * first message RabbitMQ looks for the leader of a quorum queue, and waits for the one before while
 * that is paused or unreachable, for each message anew; a channel opened later finds the new one.
 *
 * <p>Thread-safe, by one lock. Batches are completed outside of it.
 */
final class Confirms {

  private static final long NOBODY = -1;

  private final int window;
  private final int mask;
  private final Outcome meaningOfNack;
  private final Duration firstConfirmBound;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Condition endings = lock.newCondition();
  // By sequence number modulo their length; what has its outcome is null.
  private final @Nullable PendingBatch[] batches;
  private final int[] indexes;
  private long next = 1;
  private long oldest = 1; // what is below it has its outcome
  private long awaited = NOBODY; // the most that may wait for a thread to go on
  private @Nullable Exception lost;
  private boolean late;
  private boolean confirmedAny;
  private volatile boolean handedOverAny; // changed under the lock
  private long firstConfirmDueNanos; // of what was handed over first

  /**
   * For one channel.
   *
   * @param window most messages that wait, at least 1
   * @param firstConfirmBound longest time from the first batch's way to the broker to the first
   *     confirm of any
   */
  Confirms(int window, Outcome meaningOfNack, Duration firstConfirmBound) {
    this.window = window;
    this.meaningOfNack = meaningOfNack;
    this.firstConfirmBound = firstConfirmBound;
    int slots = Integer.highestOneBit(Math.max(1, window - 1)) * 2;
    mask = slots - 1;
    batches = new @Nullable PendingBatch[slots];
    indexes = new int[slots];
  }

  // For the thread that sends.

  /**
   * Gives the next sequence numbers to messages of a batch, but for those that are refused, as many
   * as there is room for. They must be published next, in order.
   *
   * @param from index of the first message
   * @return index after the last message; {@code from} if there is no room
   * @throws MqException if the channel is lost; nothing was registered
   */
  int register(PendingBatch batch, int from) {
    lock.lock();
    try {
      requireNotLost();
      int index = from;
      for (; index < batch.size(); index++) {
        if (batch.isRefused(index)) {
          continue;
        }
        if (next - oldest >= window) {
          break;
        }
        int slot = slot(next++);
        batches[slot] = batch;
        indexes[slot] = index;
      }
      return index;
    } finally {
      lock.unlock();
    }
  }

  /** What was registered is on its way to the broker. */
  void handedOver(long nowNanos) {
    if (handedOverAny) {
      return;
    }
    lock.lock();
    try {
      handedOverAny = true;
      firstConfirmDueNanos = nowNanos + firstConfirmBound.toNanos();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no more than this many messages wait for their confirm.
   *
   * @return whether it is so, and not just the deadline
   * @throws MqException if the channel is lost
   */
  boolean awaitAtMost(long waiting, long deadlineNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        requireNotLost();
        if (next - oldest <= waiting) {
          return true;
        }
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        awaited = Math.max(awaited, waiting);
        long unused = room.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until every batch has ended, or the deadline has come, in spite of an interrupt. */
  void awaitEnded(long deadlineNanos) {
    lock.lock();
    try {
      boolean unused = BoundedWaits.await(endings, () -> !waitsForAny(), deadlineNanos);
    } finally {
      lock.unlock();
    }
  }

  private boolean waitsForAny() {
    for (long tag = oldest; tag < next; tag++) {
      PendingBatch batch = batches[slot(tag)];
      if (batch != null && !batch.hasEnded()) {
        return true;
      }
    }
    return false;
  }

  private void requireNotLost() {
    if (lost != null) {
      throw new MqException("the channel is lost: " + Errors.reason(lost), lost);
    }
  }

  /**
   * Whether this channel is worth sending more: it is not lost, and no batch was given up. A
   * channel of the broker may go on sending to the leader that a quorum queue had before, and hear
   * from it no more.
   */
  boolean isSound() {
    lock.lock();
    try {
      return lost == null && !late;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a batch was given up: the broker's channel may be stuck. */
  boolean isLate() {
    lock.lock();
    try {
      return late;
    } finally {
      lock.unlock();
    }
  }

  /** The number of the message registered last. */
  long last() {
    lock.lock();
    try {
      return next - 1;
    } finally {
      lock.unlock();
    }
  }

  /** Settles messages of a batch that are not registered and will not be. */
  void reject(PendingBatch batch, int from, int to, Exception cause) {
    boolean ended = false;
    lock.lock();
    try {
      for (int i = from; i < to; i++) {
        ended |= batch.settle(i, Outcome.REJECTED, cause);
      }
    } finally {
      lock.unlock();
    }
    if (ended) {
      batch.complete();
    }
  }

  /** Gives up waiting for a batch; its messages keep their room until the broker answers. */
  void abandon(PendingBatch batch, Exception cause) {
    boolean ended;
    lock.lock();
    try {
      ended = batch.abandon(cause);
      late |= ended;
      endings.signalAll();
    } finally {
      lock.unlock();
    }
    if (ended) {
      batch.complete();
    }
  }

  // For the thread that reads.

  /** The broker has a message, or all up to one. */
  void confirmed(long deliveryTag, boolean multiple) {
    settle(deliveryTag, multiple, Outcome.CONFIRMED, null);
  }

  /** The broker refuses a message, or all up to one that it did not confirm. */
  void refused(long deliveryTag, boolean multiple) {
    settle(deliveryTag, multiple, meaningOfNack, new MqException("the broker sent a nack"));
  }

  private void settle(
      long deliveryTag, boolean multiple, Outcome outcome, @Nullable Exception cause) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      // AMQP: 0 stands for all so far.
      long last = deliveryTag == 0 && multiple ? next - 1 : Math.min(deliveryTag, next - 1);
      for (long tag = multiple ? oldest : Math.max(oldest, deliveryTag); tag <= last; tag++) {
        settle(slot(tag), outcome, cause, ended);
      }
      while (oldest < next && batches[slot(oldest)] == null) {
        oldest++;
      }
      if (next - oldest <= awaited) {
        // Not for each confirm: most of them make room that nobody can use yet.
        awaited = NOBODY;
        room.signalAll();
      }
      confirmedAny |= outcome == Outcome.CONFIRMED;
      if (!ended.isEmpty()) {
        endings.signalAll();
      }
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
  }

  private void settle(
      int slot, Outcome outcome, @Nullable Exception cause, List<PendingBatch> ended) {
    PendingBatch batch = batches[slot];
    if (batch != null) {
      batches[slot] = null;
      if (batch.settle(indexes[slot], outcome, cause)) {
        ended.add(batch);
      }
    }
  }

  /**
   * The broker gave a message back, because no queue takes it; a confirm for it follows.
   *
   * <p>It comes without its number, so it is looked for by what it carries. Of several that are
   * equal nobody knows which one came back.
   */
  void returned(byte[] body, Map<String, String> headers, Exception cause) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      List<Integer> equal = new ArrayList<>();
      for (long tag = oldest; tag < next; tag++) {
        int slot = slot(tag);
        PendingBatch batch = batches[slot];
        if (batch != null && isEqual(batch.message(indexes[slot]), body, headers)) {
          equal.add(slot);
        }
      }
      Outcome outcome = equal.size() == 1 ? Outcome.REJECTED : Outcome.UNKNOWN;
      for (int slot : equal) {
        PendingBatch batch = batches[slot]; // keeps its number until the confirm
        if (batch != null && batch.settle(indexes[slot], outcome, cause)) {
          ended.add(batch);
        }
      }
      endings.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
  }

  private static boolean isEqual(Message message, byte[] body, Map<String, String> headers) {
    return Arrays.equals(message.body(), body) && message.headers().equals(headers);
  }

  /** The channel is gone: nobody knows what became of the rest. */
  void lost(Exception cause) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      if (lost != null) {
        return;
      }
      lost = cause;
      for (; oldest < next; oldest++) {
        settle(slot(oldest), Outcome.UNKNOWN, cause, ended);
      }
      room.signalAll();
      endings.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
  }

  // For the thread that looks at the time.

  /** Abandons the batches whose deadline has passed, or all if the first confirm is overdue. */
  void expire(long nowNanos) {
    List<PendingBatch> ended = new ArrayList<>();
    lock.lock();
    try {
      boolean silent = handedOverAny && !confirmedAny && nowNanos - firstConfirmDueNanos > 0;
      for (long tag = oldest; tag < next; tag++) {
        PendingBatch batch = batches[slot(tag)];
        if (batch == null || batch.hasEnded()) {
          continue;
        }
        if (!silent && batch.deadlineNanos() - nowNanos > 0) {
          break; // those behind it were sent later
        }
        if (batch.abandon(silent ? silence() : new MqException("no confirm in time"))) {
          ended.add(batch);
        }
      }
      late |= !ended.isEmpty();
      endings.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(PendingBatch::complete);
  }

  private MqException silence() {
    return new MqException(
        "a new channel had no confirm within %d ms".formatted(firstConfirmBound.toMillis()));
  }

  private int slot(long tag) {
    return (int) tag & mask;
  }
}
