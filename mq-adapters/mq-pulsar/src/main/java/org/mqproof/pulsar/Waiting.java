package org.mqproof.pulsar;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.mqproof.MqException;
import org.mqproof.support.Causes;

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
          "%s: cannot %s: %s".formatted(settings.endpoint(), what, Causes.reason(e)),
          Causes.first(e));
    } catch (TimeoutException e) {
      throw new MqException("%s: cannot %s: no answer".formatted(settings.endpoint(), what), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException(
          "%s: interrupted, so cannot %s".formatted(settings.endpoint(), what), e);
    }
  }
}
