package org.mqproof.kafka;

import java.util.concurrent.TimeUnit;

/** The threads that own a Kafka consumer. */
final class Pollers {

  private Pollers() {}

  /** Waits for a thread's end, also when interrupted meanwhile, and interrupts it if it is late. */
  static void awaitEnd(Thread poller, long deadlineNanos) {
    boolean interrupted = false;
    while (poller.isAlive() && deadlineNanos - System.nanoTime() > 0) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(poller, Math.max(1, deadlineNanos - System.nanoTime()));
      } catch (InterruptedException e) {
        interrupted = true; // the bound holds all the same
      }
    }
    if (poller.isAlive()) {
      poller.interrupt();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
