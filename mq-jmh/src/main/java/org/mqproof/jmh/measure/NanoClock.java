package org.mqproof.jmh.measure;

import java.util.concurrent.locks.LockSupport;

/** The time to send by; a test has one of its own. Thread-safe. */
@FunctionalInterface
public interface NanoClock {

  /** As {@link System#nanoTime}. */
  long nanoTime();

  /**
   * Lets some time pass.
   *
   * @param nanos above 0; the caller looks at the clock again and comes back for the rest
   */
  default void pause(long nanos) {
    LockSupport.parkNanos(nanos);
  }

  /**
   * The machine's. Where threads that send have a core each and leave half of the machine to the
   * others, they spin through the last moments before a send is due: Linux wakes a parked thread
   * some 60 us late (50 us are the kernel's timer slack). Where they have not, spinning would only
   * take the time from whoever has work, so they park, and are late.
   *
   * @param senders threads that wait at the same time
   */
  static NanoClock system(int senders) {
    return new SystemClock(2 * senders <= Runtime.getRuntime().availableProcessors());
  }

  /**
   * Parks while there is plenty of time.
   *
   * @param spins whether the rest is spun through
   */
  record SystemClock(boolean spins) implements NanoClock {

    /** What a park may overshoot by. */
    private static final long MARGIN_NANOS = 100_000;

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void pause(long nanos) {
      if (!spins) {
        NanoClock.super.pause(nanos);
      } else if (nanos > 2 * MARGIN_NANOS) {
        LockSupport.parkNanos(nanos - MARGIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
