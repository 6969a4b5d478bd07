package org.mqproof.jmh;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.ledger.ReceiverLog;

/**
 * Receives, checks, acks and keeps the books. One thread at a time receives; acks complete on any
 * thread, and the counters may be read by any.
 */
final class Receiving implements AutoCloseable {

  static final int MOST_FAILURES_IN_A_ROW = 5;

  private final Supplier<Receiver> opener;
  private final @Nullable ReceiverLog log;
  private final int max;
  private final boolean timed;
  private final LatencyRecorder recorder;
  private final Run run = new Run();
  private final AtomicLong received = new AtomicLong();
  private final AtomicLong failedReceives = new AtomicLong();
  private final AtomicLong failedAcks = new AtomicLong();
  private Receiver receiver;
  private int failuresInARow;
  private volatile long lastReceivedNanos;

  /**
   * Opens a receiver.
   *
   * @param opener opens one; used again after a failure
   * @param log null if there is no ledger
   * @param max most messages of one receive
   * @param timed whether the time since a message was sent means anything
   */
  Receiving(
      Supplier<Receiver> opener,
      @Nullable ReceiverLog log,
      int max,
      boolean timed,
      LatencyRecorder recorder) {
    this.opener = opener;
    this.timed = timed;
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
  int receive(Duration timeout) throws InterruptedException {
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
    ack(batch);
    lastReceivedNanos = now;
    failuresInARow = 0;
    return size;
  }

  private void ack(List<Delivery> batch) {
    CompletableFuture<Void> acked;
    try {
      acked = receiver.ack(batch);
    } catch (MqException e) {
      failedAcks.incrementAndGet();
      return;
    }
    if (acked.isDone() && !acked.isCompletedExceptionally()) {
      if (log != null) {
        log.acked(batch);
      }
      return;
    }
    var unused =
        acked.whenComplete(
            (nothing, error) -> {
              if (error != null) {
                failedAcks.incrementAndGet();
              } else if (log != null) {
                log.acked(batch);
              }
            });
  }

  /** A receiver that failed may have to be made anew; what it had claimed comes back. */
  private void reopen(MqException failure) {
    failedReceives.incrementAndGet();
    if (++failuresInARow >= MOST_FAILURES_IN_A_ROW) {
      throw new MqException(
          failuresInARow + " receives in a row failed; the last: " + failure.getMessage(), failure);
    }
    receiver.close();
    receiver = opener.get();
  }

  void begin(Timeline.Phase phase) {
    recorder.begin(phase);
  }

  void flush() {
    recorder.flush();
  }

  /** {@link System#nanoTime} of the last receive that was not empty; 0 before the first. */
  long lastReceivedNanos() {
    return lastReceivedNanos;
  }

  long received() {
    return received.get();
  }

  long failedReceives() {
    return failedReceives.get();
  }

  long failedAcks() {
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
        recorder.record(nowNanos - sentAtNanos, length);
      }
      length = 0;
    }
  }
}
