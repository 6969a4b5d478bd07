package org.mqproof.jmh.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.measure.WallClock;
import org.mqproof.ledger.ReceiverLog;

/**
 * Receives, checks, acks and keeps the books. One thread at a time receives; acks complete on any
 * thread, and the counters may be read by any.
 */
public final class Receiving implements AutoCloseable {

  static final int MOST_FAILURES_IN_A_ROW = 5;

  private final Supplier<Receiver> opener;
  private final @Nullable ReceiverLog log;
  private final int max;
  private final boolean timed;
  private final LatencyRecorder recorder;
  private final long workNanos;
  private final boolean awaitAcks;
  private final double dropped;
  private final SplittableRandom random = new SplittableRandom(1);
  private final AtomicLong drops = new AtomicLong();
  private boolean dropping;
  private final Run run = new Run();
  private final AtomicLong received = new AtomicLong();
  private final AtomicLong acked = new AtomicLong();
  private final AtomicLong failedReceives = new AtomicLong();
  private final AtomicLong failedAcks = new AtomicLong();
  private Receiver receiver;
  private int failuresInARow;
  private volatile long lastReceivedNanos;
  private volatile long lastAckedNanos;
  private long stampOffsetNanos;

  /**
   * Opens a receiver.
   *
   * @param opener opens one; used again after a failure
   * @param log null if there is no ledger
   * @param max most messages of one receive
   * @param timed whether the time since a message was sent means anything
   * @param workNanos time to take for each message before it is acked
   * @param awaitAcks whether to wait for each ack before the next receive
   * @param dropped share of the deliveries that are not acked, from 0 to 1
   */
  public Receiving(
      Supplier<Receiver> opener,
      @Nullable ReceiverLog log,
      int max,
      boolean timed,
      long workNanos,
      boolean awaitAcks,
      double dropped,
      LatencyRecorder recorder) {
    this.opener = opener;
    this.timed = timed;
    this.workNanos = workNanos;
    this.awaitAcks = awaitAcks;
    this.dropped = dropped;
    this.log = log;
    this.max = max;
    this.recorder = recorder;
    this.receiver = opener.get();
  }

  /**
   * Receives once, and acks what came.
   *
   * @param timeout longest wait for the first message
   * @return messages received, 0 at the timeout or after a failure that may pass
   * @throws MqException if it does not pass
   */
  public int receive(Duration timeout) throws InterruptedException {
    List<Delivery> batch;
    try {
      batch = receiver.receive(max, timeout);
    } catch (MqException e) {
      reopen(e);
      return 0;
    }
    if (batch.isEmpty()) {
      return 0;
    }
    long now = System.nanoTime();
    int size = batch.size();
    received.setRelease(received.getPlain() + size); // one thread writes
    recorder.count(now, size);
    run.start(now);
    if (log != null) {
      log.delivered(batch, run);
    } else if (timed) {
      for (int i = 0; i < size; i++) {
        run.accept(Batches.readTime(batch.get(i).message()));
      }
    }
    run.end();
    if (workNanos > 0) {
      work(size);
    }
    ack(dropping ? kept(batch) : batch);
    lastReceivedNanos = now;
    failuresInARow = 0;
    return size;
  }

  /** From now on stamps are read as {@link Sending#stampBy} writes them. */
  public void readBy(WallClock clock) {
    stampOffsetNanos = clock.offsetNanos();
  }

  /** Stands in for what a program does with its messages. */
  private void work(int size) throws InterruptedException {
    long end = System.nanoTime() + size * workNanos;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("working");
      }
      LockSupport.parkNanos(left);
    }
  }

  /** Without those whose ack is to go missing, as if this program had crashed before it. */
  private List<Delivery> kept(List<Delivery> batch) {
    List<Delivery> kept = new ArrayList<>(batch.size());
    for (Delivery delivery : batch) {
      if (random.nextDouble() >= dropped) {
        kept.add(delivery);
      }
    }
    drops.addAndGet((long) batch.size() - kept.size());
    return kept;
  }

  /** Gives what was not acked back to the queue, and from now on acks everything. */
  public void giveBack() {
    dropping = false;
    replaceReceiver();
  }

  private void replaceReceiver() {
    if (log != null) {
      log.gaveBack();
    }
    receiver.close();
    receiver = opener.get();
  }

  /** Deliveries that were not acked on purpose. */
  public long dropped() {
    return drops.get();
  }

  private void ack(List<Delivery> batch) throws InterruptedException {
    CompletableFuture<Void> ack;
    try {
      ack = log == null ? receiver.ack(batch) : log.ack(receiver, batch);
    } catch (MqException e) {
      failedAcks.incrementAndGet();
      return;
    }
    int size = batch.size();
    if (ack.isDone() && !ack.isCompletedExceptionally()) {
      settled(size);
      return;
    }
    CompletableFuture<Boolean> noted =
        ack.handle(
            (nothing, error) -> {
              if (error == null) {
                settled(size);
              } else {
                failedAcks.incrementAndGet();
              }
              return error == null;
            });
    if (awaitAcks) {
      await(noted);
    }
  }

  private void settled(int messages) {
    acked.addAndGet(messages);
    lastAckedNanos = System.nanoTime();
  }

  /** Adapters bound the time of every ack; whether it failed is counted already. */
  private static void await(CompletableFuture<Boolean> noted) throws InterruptedException {
    try {
      var unused = noted.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("an ack could not be noted", e);
    }
  }

  /** A receiver that failed may have to be made anew; what it had claimed comes back. */
  private void reopen(MqException failure) {
    failedReceives.incrementAndGet();
    if (++failuresInARow >= MOST_FAILURES_IN_A_ROW) {
      throw new MqException(
          failuresInARow + " receives in a row failed; the last: " + failure.getMessage(), failure);
    }
    replaceReceiver();
  }

  /** Starts a phase. */
  public void begin(Timeline.Phase phase) {
    dropping = dropped > 0 && phase == Timeline.Phase.MEASURED;
    recorder.begin(phase);
  }

  /** Hands in what was recorded. */
  public void flush() {
    recorder.flush();
  }

  /** {@link System#nanoTime} of the last receive that was not empty; 0 before the first. */
  public long lastReceivedNanos() {
    return lastReceivedNanos;
  }

  /** Messages received. */
  public long received() {
    return received.get();
  }

  /** Messages whose ack has completed; of an ack that failed in part, none. */
  public long acked() {
    return acked.get();
  }

  /** {@link System#nanoTime} of the last ack that completed; 0 before the first. */
  public long lastAckedNanos() {
    return lastAckedNanos;
  }

  /** Receives that failed. */
  public long failedReceives() {
    return failedReceives.get();
  }

  /** Acks that failed. */
  public long failedAcks() {
    return failedAcks.get();
  }

  @Override
  public void close() {
    receiver.close();
  }

  /** Messages of one batch carry one time: so a batch costs one sample, counted so many times. */
  private final class Run implements LongConsumer {
    private long nowNanos;
    private long sentAtNanos;
    private long length;

    void start(long nowNanos) {
      this.nowNanos = nowNanos;
    }

    @Override
    public void accept(long sentAt) {
      if (length == 0) {
        sentAtNanos = sentAt;
      } else if (sentAt != sentAtNanos) {
        end();
        sentAtNanos = sentAt;
      }
      length++;
    }

    void end() {
      if (length > 0 && timed) {
        recorder.record(nowNanos + stampOffsetNanos - sentAtNanos, length);
      }
      length = 0;
    }
  }
}
