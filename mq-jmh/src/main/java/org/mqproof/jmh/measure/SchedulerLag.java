package org.mqproof.jmh.measure;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How late this process gets a core: a thread of its own asks to be woken every 10 ms and records
 * by how much it was woken late, while something is measured. Other load on the machine, a paused
 * virtual machine and the collector's pauses all show here, and none of them is the system under
 * test.
 *
 * <p>A long pause counts for every wake-up that fell into it. Thread-safe.
 */
public final class SchedulerLag implements AutoCloseable {

  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final NanoClock clock;
  private final Distribution lags = new Distribution();
  private final Thread thread;
  private volatile boolean measuring;
  private volatile boolean closed;

  /** Does nothing until {@link #start}. */
  public SchedulerLag(NanoClock clock) {
    this.clock = clock;
    thread = new Thread(this::run, "scheduler lag");
    thread.setDaemon(true); // a trial that failed must not keep the JVM alive
  }

  /** Starts the thread that looks, and ends with {@link #close}. */
  public Thread start() {
    thread.start();
    return thread;
  }

  /** Whether what is seen from now on counts. */
  public void measure(boolean measuring) {
    this.measuring = measuring;
  }

  private void run() {
    while (!closed) {
      look();
    }
  }

  /** One wake-up. */
  void look() {
    boolean before = measuring;
    long due = clock.nanoTime() + PERIOD_NANOS;
    for (long left = PERIOD_NANOS; left > 0 && !closed; left = due - clock.nanoTime()) {
      clock.pause(left);
    }
    long lag = clock.nanoTime() - due;
    if (before && measuring && !closed) {
      record(lag);
    }
  }

  private synchronized void record(long lag) {
    lags.record(lag, 1);
    for (long missed = lag - PERIOD_NANOS; missed > 0; missed -= PERIOD_NANOS) {
      lags.record(missed, 1);
    }
  }

  /** What was seen so far, as text, without loss. */
  public synchronized List<String> encode() {
    return lags.encode();
  }

  @Override
  public void close() {
    closed = true;
  }
}
