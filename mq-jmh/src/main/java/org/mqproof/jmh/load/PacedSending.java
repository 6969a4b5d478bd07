package org.mqproof.jmh.load;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.NanoClock;
import org.mqproof.jmh.measure.Timeline;

/**
 * Sends by one schedule that nothing changes, from the first iteration to the last: a sender that
 * is late sends at once, and its next send is due when it was. So a stall of the system is met by
 * every send that falls into it, as users would meet it. The schedule rests only while the harness
 * itself lets nobody send, between two iterations.
 *
 * <p>Besides the times of the sends themselves it records how late the generator was by its own
 * doing: how much later a send began than if waiting had been exact and only the calls had taken
 * their time. One thread at a time; the counters may be read by any when it rests.
 */
public final class PacedSending {

  /** So long at most until a thread that waits sees that the iteration is over. */
  private static final long POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** How long what is overdue at the end of an iteration may take. */
  static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Sending sending;
  private final Schedule schedule;
  private final LatencyRecorder lateness;
  private final IntFunction<NanoClock> clocks;

  private NanoClock clock;
  private Timeline.Phase phase = Timeline.Phase.UNMEASURED;
  private boolean started;
  private boolean resting;
  private long endNanos;
  private long restNanos;
  private int senders = 1;

  /** When the sender would have been free, had it begun every send as early as it could. */
  private long freeNanos;

  private long begun;
  private long unsent;

  /**
   * A sender that has not started.
   *
   * @param clocks the clock to send by, for a number of senders
   */
  public PacedSending(
      Sending sending, Schedule schedule, LatencyRecorder lateness, IntFunction<NanoClock> clocks) {
    this.sending = sending;
    this.schedule = schedule;
    this.lateness = lateness;
    this.clocks = clocks;
    clock = clocks.apply(1);
  }

  /** The sender that is paced. */
  public Sending sending() {
    return sending;
  }

  /**
   * Starts a phase; the schedule starts, or goes on, with the first send.
   *
   * @param senders that share the rate
   */
  public void begin(Timeline.Phase phase, int senders) {
    this.phase = phase;
    this.senders = senders;
    clock = clocks.apply(senders);
    lateness.begin(phase);
  }

  /**
   * Waits until a send is due, and sends.
   *
   * @param over whether the iteration has ended: then nobody waits any more
   * @return messages confirmed, as {@link Sending#send} tells; 0 if it is over before one is due
   */
  public int send(BooleanSupplier over) throws InterruptedException {
    long now = clock.nanoTime();
    if (!started) {
      started = true;
      schedule.start(now, senders);
      freeNanos = now;
    } else {
      resume(now);
    }
    long due = schedule.dueNanos();
    while (now - due < 0) {
      if (Thread.interrupted()) {
        throw new InterruptedException("waiting until the next send is due");
      }
      clock.pause(Math.min(due - now, POLL_INTERVAL_NANOS));
      if (over.getAsBoolean()) {
        rest();
        return 0;
      }
      now = clock.nanoTime();
    }
    int confirmed = send(due, now);
    if (over.getAsBoolean()) {
      rest(); // JMH may let this thread wait for another one that still waits for a message
    }
    return confirmed;
  }

  private int send(long due, long start) throws InterruptedException {
    long earliest = Math.max(due - freeNanos, 0) + freeNanos;
    lateness.count(start, 0);
    lateness.record(start - earliest, 1);
    if (phase != Timeline.Phase.UNMEASURED) {
      begun++;
    }
    sending.dueAt(due);
    schedule.advance(sending.size());
    int confirmed = sending.send();
    freeNanos = earliest + (clock.nanoTime() - start);
    return confirmed;
  }

  /** Lets the schedule rest until the next call: the harness may let nobody send until then. */
  private void rest() {
    if (!resting) {
      restNanos = clock.nanoTime();
      resting = true;
    }
  }

  private void resume(long now) {
    if (resting) {
      schedule.delay(now - restNanos);
      freeNanos += now - restNanos;
      resting = false;
    }
  }

  /**
   * Sends what was due before the end of an iteration and was not sent, for a bounded time, and
   * rests. What is left then comes first in the next iteration.
   */
  public void sendOverdue() throws InterruptedException {
    if (!started) {
      return;
    }
    long end = clock.nanoTime();
    resume(end);
    if (phase == Timeline.Phase.MEASURED) {
      phase = Timeline.Phase.TAIL;
      lateness.begin(phase);
      sending.begin(phase);
    }
    for (long due = schedule.dueNanos(); due - end < 0; due = schedule.dueNanos()) {
      long now = clock.nanoTime();
      if (now - end > CATCH_UP_NANOS) {
        break;
      }
      var unused = send(due, now);
    }
    endNanos = end;
    rest();
    lateness.flush();
  }

  /**
   * After the last iteration: what was due before its end and was never begun counts with the time
   * that it waited, which is less than its response time would have been.
   */
  public void giveUp() {
    if (!resting || phase == Timeline.Phase.UNMEASURED) {
      return;
    }
    for (long due = schedule.dueNanos(); due - endNanos < 0; due = schedule.dueNanos()) {
      schedule.advance(sending.size());
      sending.giveUp(restNanos, restNanos - due);
      unsent++;
    }
  }

  /** Sends that were begun while measuring. */
  public long begun() {
    return begun;
  }

  /** Sends that were due while measuring and never begun; known after {@link #giveUp}. */
  public long unsent() {
    return unsent;
  }
}
