package org.mqproof.support;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Requests that are made again while a system is about to have another leader. No state. */
public final class Retries {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private Retries() {}

  /**
   * Whether a request that failed now may succeed after a pause. Pauses if so.
   *
   * @param deadlineNanos of all attempts, in terms of {@link System#nanoTime()}
   * @return false if it comes within the pause, or the thread is interrupted
   */
  public static boolean hasTimeLeft(long deadlineNanos) {
    if (deadlineNanos - System.nanoTime() <= PAUSE_NANOS) {
      return false;
    }
    LockSupport.parkNanos(PAUSE_NANOS);
    return !Thread.currentThread().isInterrupted();
  }
}
