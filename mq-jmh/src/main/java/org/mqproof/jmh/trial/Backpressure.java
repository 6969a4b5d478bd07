package org.mqproof.jmh.trial;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.mqproof.jmh.load.Sending;

/**
 * Holds senders back when too much is sent and not received yet. Thread-safe; messages are written
 * off while no thread sends.
 */
public final class Backpressure {

  /**
   * Interval between checks of the backlog. A signal from the receiver would cost it something at
   * every receive; this costs nothing while the senders are the slower side.
   */
  private static final long POLL_INTERVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private final Traffic traffic;
  private final long most;
  private long writtenOff;

  /**
   * Nothing is held back yet.
   *
   * @param most messages sent and not yet received
   */
  Backpressure(Traffic traffic, long most) {
    this.traffic = traffic;
    this.most = most;
  }

  /** Messages submitted to senders, not known to have failed, and not received yet. */
  long backlog() {
    return traffic.left() - writtenOff;
  }

  /** Whether more is left than may be. */
  boolean isExceeded() {
    return backlog() > most;
  }

  /** What is left now may be lost, and must not hold the senders back for ever. */
  void writeOff() {
    writtenOff += backlog();
  }

  /**
   * Messages that one sender may send before it has to ask again.
   *
   * @return 0 or less if it has to wait
   */
  public long allowance() {
    long backlog = backlog();
    return backlog <= 0 ? Math.max(1, share(0)) : share(backlog);
  }

  /**
   * Waits until half of the backlog is received, and books the time.
   *
   * @param sending that has to wait
   * @param over whether the iteration is
   * @return false if it ended meanwhile
   * @throws InterruptedException if JMH gives up
   */
  public boolean awaitHalved(Sending sending, BooleanSupplier over) throws InterruptedException {
    long start = System.nanoTime();
    boolean halved = false;
    while (!halved && !over.getAsBoolean()) {
      LockSupport.parkNanos(POLL_INTERVAL_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException("held back by the backlog");
      }
      halved = backlog() <= most / 2;
    }
    sending.held(System.nanoTime() - start);
    return halved;
  }

  private long share(long backlog) {
    return (most - backlog) / traffic.senders();
  }
}
