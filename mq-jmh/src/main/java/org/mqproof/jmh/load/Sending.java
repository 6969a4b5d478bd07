package org.mqproof.jmh.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.measure.WallClock;
import org.mqproof.ledger.SenderLog;

/**
 * Sends batches through one sender, stamps them and keeps the books. One thread at a time; the
 * counters may be read by any.
 */
public abstract class Sending implements AutoCloseable {

  /** So many failures in a row, and the trial ends: it would only measure how fast errors are. */
  static final int MOST_FAILURES_IN_A_ROW = 50;

  private final @Nullable SenderLog log;
  private final int[] sizes;
  private final SendTimes times;
  private int next;
  private boolean scheduled;
  private long dueNanos;
  private long stampOffsetNanos;

  private final AtomicLong submitted = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong confirmed = new AtomicLong();
  private final AtomicInteger failuresInARow = new AtomicInteger();
  private volatile @Nullable MqException lastFailure;

  private final AtomicLong heldNanos = new AtomicLong();

  Sending(@Nullable SenderLog log, int[] sizes, SendTimes times) {
    this.log = log;
    this.sizes = sizes;
    this.times = times;
  }

  /**
   * Opens a sender.
   *
   * @param number of the sender, from 0; the same number draws the same batches
   * @param window batches that may be under way at once; 0 sends one after the other
   */
  public static Sending open(
      Mq mq,
      String queue,
      @Nullable SenderLog log,
      int number,
      BatchSizes batch,
      int bodyBytes,
      int window,
      SendTimes times) {
    int[] sizes = batch.draw(number);
    if (window == 0) {
      Batches batches = new Batches(batch.most(), bodyBytes);
      return new SyncSending(mq.sender(queue), log, sizes, batches, times, System::nanoTime);
    }
    List<Batches> places = new ArrayList<>();
    for (int i = 0; i < window; i++) {
      places.add(new Batches(batch.most(), bodyBytes));
    }
    // Twice the bound the adapter declares: beyond that it has broken its word.
    long boundMillis = 2 * mq.traits().callBound().toMillis();
    return new AsyncSending(mq.sender(queue), log, sizes, places, times, boundMillis);
  }

  /**
   * Sends the next batch, or starts to.
   *
   * @return messages confirmed by this call, or found to have been confirmed since the last one
   */
  public abstract int send() throws InterruptedException;

  /** Starts a phase. */
  public abstract void begin(Timeline.Phase phase);

  /** Waits for the outcome of everything that was started, and hands in what was recorded. */
  public abstract void settle() throws InterruptedException;

  @Override
  public abstract void close();

  /**
   * Says when the next send is due. Its messages are stamped with that time, not with the one at
   * which it begins.
   *
   * @param nanos as {@link System#nanoTime}
   */
  final void dueAt(long nanos) {
    scheduled = true;
    dueNanos = nanos;
  }

  /** From now on messages are stamped with a time that other machines can read. */
  public final void stampBy(WallClock clock) {
    stampOffsetNanos = clock.offsetNanos();
  }

  /**
   * What the sends of this sender took; whoever lets several threads use it guards it by itself.
   */
  final SendTimes times() {
    return times;
  }

  /**
   * Skips the next batch, which was due and is never sent.
   *
   * @param nowNanos until when it waited
   * @param waitedNanos how long, at least
   */
  final void giveUp(long nowNanos, long waitedNanos) {
    int unused = nextSize();
    synchronized (times) {
      times.waited(nowNanos, waitedNanos);
    }
  }

  /** When the send that begins now was due: a closed loop has no schedule, so now. */
  final long due(long startNanos) {
    return scheduled ? dueNanos : startNanos;
  }

  /** Messages of the next batch. */
  final int size() {
    return sizes[next];
  }

  /** Goes on to the next batch. Returns how many messages it has. */
  final int nextSize() {
    int size = sizes[next];
    next = (next + 1) & (sizes.length - 1);
    return size;
  }

  /** What the last failed send said; null if none failed. */
  public final @Nullable String lastFailure() {
    MqException failure = lastFailure;
    return failure == null ? null : failure.getMessage();
  }

  /** Messages handed to the sender and not known to have failed. */
  public final long submitted() {
    return submitted.get() - failed.get();
  }

  /** Messages whose send failed, or whose outcome is not known. */
  public final long failed() {
    return failed.get();
  }

  /** Messages known to be safe. */
  public final long confirmed() {
    return confirmed.get();
  }

  /** Time for which the backlog held this sender back, nanoseconds. */
  public final long heldNanos() {
    return heldNanos.get();
  }

  /** Books time for which the backlog held this sender back. */
  public final void held(long nanos) {
    heldNanos.addAndGet(nanos);
  }

  /**
   * Stamps a batch.
   *
   * @param sentAtNanos from when on the messages are on their way
   * @return the first sequence number
   */
  final long stamp(List<Message> batch, long sentAtNanos) {
    // One thread writes this counter; a plain store that others see soon is enough.
    submitted.setRelease(submitted.getPlain() + batch.size());
    long time = sentAtNanos + stampOffsetNanos;
    if (log == null) {
      Batches.writeTime(batch, time);
      return 0;
    }
    return log.stamp(batch, time);
  }

  final void confirmed(long first, int count) {
    if (log != null) {
      log.confirmed(first, count);
    }
    confirmed.addAndGet(count);
    if (failuresInARow.getPlain() != 0) {
      failuresInARow.set(0);
    }
  }

  /**
   * Books a batch of which not every message was confirmed.
   *
   * @return messages that were confirmed nevertheless
   * @throws RuntimeException if this is not the failure of a system but of this program
   */
  public final int failed(long first, int count, Throwable thrown) {
    Throwable error =
        thrown instanceof CompletionException || thrown instanceof ExecutionException
            ? thrown.getCause()
            : thrown;
    if (!(error instanceof MqException failure)) {
      throw new IllegalStateException("a send failed with what the contract does not know", error);
    }
    lastFailure = failure;
    failuresInARow.incrementAndGet();
    int safe = 0;
    if (failure instanceof SendFailedException withOutcomes) {
      List<Outcome> outcomes = withOutcomes.outcomes();
      safe = (int) outcomes.stream().filter(Outcome.CONFIRMED::equals).count();
      if (log != null) {
        log.failed(first, outcomes);
      }
    }
    // Any other failure leaves every message of the batch unknown, which is what the ledger takes
    // for granted of a message that was attempted.
    failed.addAndGet(count - safe);
    confirmed.addAndGet(safe);
    return safe;
  }

  /**
   * Ends a trial in which nothing can be sent any more.
   *
   * @throws MqException if too many sends failed in a row
   */
  final void failAfterTooManyErrors() {
    MqException failure = lastFailure;
    if (failure != null && failuresInARow.get() >= MOST_FAILURES_IN_A_ROW) {
      throw new MqException(
          MOST_FAILURES_IN_A_ROW + " sends in a row failed; the last: " + failure.getMessage(),
          failure);
    }
  }
}
