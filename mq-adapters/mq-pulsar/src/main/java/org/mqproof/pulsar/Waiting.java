package org.mqproof.pulsar;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.mqproof.MqException;

/** Bounded waits for the client's futures. */
final class Waiting {

  private Waiting() {}

  /**
   * Waits for a result.
   *
   * @param what is waited for, for the message of an error
   * @throws MqException if it fails, or has not come by then
   */
  static <T> T result(
      PulsarSettings settings, String what, CompletableFuture<T> future, long deadlineNanos) {
    try {
      return future.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new MqException(
          "%s: cannot %s: %s".formatted(settings.endpoint(), what, Errors.reason(e)),
          Errors.first(e));
    } catch (TimeoutException e) {
      throw new MqException("%s: cannot %s: no answer".formatted(settings.endpoint(), what), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException(
          "%s: interrupted, so cannot %s".formatted(settings.endpoint(), what), e);
    }
  }

  /** Waits until a future ends, however it does, or the time has come. Keeps an interrupt. */
  static void quietly(CompletableFuture<?> future, long deadlineNanos) {
    boolean interrupted = false;
    boolean waiting = true;
    while (waiting) {
      try {
        Object unused =
            future.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        waiting = false;
      } catch (ExecutionException | CancellationException | TimeoutException e) {
        waiting = false; // who made the future is told by it
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
