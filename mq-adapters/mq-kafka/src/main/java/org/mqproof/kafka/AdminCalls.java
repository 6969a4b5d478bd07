package org.mqproof.kafka;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/** Waits for answers of Kafka's admin client. Thread-safe: no state. */
final class AdminCalls {

  private final String endpoint;

  AdminCalls(String endpoint) {
    this.endpoint = endpoint;
  }

  static Duration remaining(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /** The answer, or an exception that begins with what could not be done. */
  <T> T await(KafkaFuture<T> future, Duration bound, String what) {
    try {
      return get(future, bound, what);
    } catch (ExecutionException e) {
      throw failure(what, e.getCause());
    }
  }

  /** The answer; for callers that tell one error of the broker from another. */
  <T> T get(KafkaFuture<T> future, Duration bound, String what) throws ExecutionException {
    try {
      return future.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw failure(what + " within " + bound.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(what + ": interrupted", e);
    }
  }

  /**
   * What could not be done, and the right that it takes where the broker says no more than that one
   * is missing.
   */
  MqException failure(String what, String right, @Nullable Throwable cause) {
    return failure(
        cause instanceof AuthorizationException ? what + ": the user needs " + right : what, cause);
  }

  MqException failure(String what, @Nullable Throwable cause) {
    String reason =
        cause instanceof KafkaException && cause.getMessage() != null
            ? ": " + cause.getMessage()
            : "";
    return new MqException(endpoint + ": " + what + reason, cause);
  }
}
