package org.mqproof.jms;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits that an interrupt does not shorten, for closing; the interrupt is kept. */
final class Threads {

  private Threads() {}

  static void awaitEnd(Thread thread, long deadlineNanos) {
    boolean interrupted = false;
    long left = deadlineNanos - System.nanoTime();
    while (thread.isAlive() && left > 0) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadlineNanos - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether it ended in time, in whatever way. */
  static boolean await(CompletableFuture<?> future, long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    try {
      while (true) {
        try {
          future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
          return true;
        } catch (ExecutionException e) {
          return true; // who holds the future is told
        } catch (TimeoutException e) {
          return false;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
