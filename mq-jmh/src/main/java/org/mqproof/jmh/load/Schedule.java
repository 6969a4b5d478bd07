package org.mqproof.jmh.load;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * When each send of one sender is due. It never waits for a send: how long one takes moves no
 * other. Not thread-safe.
 */
public final class Schedule {

  private static final double SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Arrivals arrivals;
  private final double messagesPerSecond;
  private final double meanBatch;
  private final int number;
  private final SplittableRandom random;

  private long originNanos;
  private double nanosPerMessage;
  private long messages;
  private double offsetNanos;

  /**
   * A schedule that has not started.
   *
   * @param messagesPerSecond of all senders together, above 0
   * @param batch what the batches of a send are drawn from
   * @param number of the sender, from 0; senders with other numbers send at other moments
   */
  public Schedule(Arrivals arrivals, double messagesPerSecond, BatchSizes batch, int number) {
    this.arrivals = arrivals;
    this.messagesPerSecond = messagesPerSecond;
    meanBatch = (batch.least() + batch.most()) / 2.0;
    this.number = number;
    random = new SplittableRandom(number + 1L);
  }

  /**
   * Starts.
   *
   * @param originNanos when the first send may be due
   * @param senders that share the rate
   */
  void start(long originNanos, int senders) {
    this.originNanos = originNanos;
    nanosPerMessage = SECOND_NANOS * senders / messagesPerSecond;
    messages = 0;
    offsetNanos =
        switch (arrivals.kind()) {
          // Senders take turns; bursts of all senders fall together, as bursts do.
          case CONSTANT -> meanBatch * nanosPerMessage * number / senders;
          case POISSON -> gap();
          case BURSTS -> 0;
        };
  }

  /** Everything that is still to be sent is due so much later. */
  void delay(long nanos) {
    originNanos += nanos;
  }

  /** When the next send is due, as {@link System#nanoTime}. */
  long dueNanos() {
    // From the count and not from one send to the next: rounding must not add up.
    double nanos =
        switch (arrivals.kind()) {
          case CONSTANT -> offsetNanos + messages * nanosPerMessage;
          case POISSON -> offsetNanos;
          case BURSTS -> (messages - messages % arrivals.burst()) * nanosPerMessage;
        };
    return originNanos + (long) nanos;
  }

  /**
   * Goes on to the send after the next.
   *
   * @param size messages of the send that was due
   */
  void advance(int size) {
    messages += size;
    if (arrivals.kind() == Arrivals.Kind.POISSON) {
      offsetNanos += gap();
    }
  }

  private double gap() {
    return -Math.log(1 - random.nextDouble()) * meanBatch * nanosPerMessage;
  }
}
