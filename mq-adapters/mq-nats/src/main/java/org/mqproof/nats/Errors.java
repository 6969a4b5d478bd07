package org.mqproof.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamStatusException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.mqproof.support.Causes;
import org.mqproof.support.TlsFailure;

/** What NATS or its library says, for our sentences and outcomes. Thread-safe: no state. */
final class Errors {

  static final int STREAM_NAME_IN_USE = 10058;

  /** A work queue has one consumer; another client has made it meanwhile. */
  static final int WORK_QUEUE_HAS_A_CONSUMER = 10099;

  private static final int STREAM_NOT_FOUND = 10059;
  private static final int CONSUMER_NOT_FOUND = 10014;

  /** What is said of a message before any server has it: too large, sealed, too many at a time. */
  private static final Set<Integer> NOT_STORED = Set.of(10054, 10109, 10167);

  private static final int TOO_MANY_AT_A_TIME = 10167;
  private static final int NOBODY_THERE = 503;

  private Errors() {}

  static String reason(Throwable failure) {
    Throwable first = Causes.first(failure);
    if (first instanceof JetStreamApiException e) {
      return isMissing(e) ? "there is no such queue" : e.getErrorDescription();
    }
    if (isNobodyThere(first)) {
      return "no server leads the queue, or there is no such queue";
    }
    if (first instanceof CancellationException) {
      return "no answer: the connection was lost, or the time is over";
    }
    return TlsFailure.explain(first).orElseGet(() -> Causes.reason(first));
  }

  /** Whether the queue does not exist. */
  static boolean isMissing(Throwable failure) {
    return failure instanceof JetStreamApiException e
        && (e.getApiErrorCode() == STREAM_NOT_FOUND || e.getApiErrorCode() == CONSUMER_NOT_FOUND);
  }

  /** Whether no server took the request: nothing leads the queue at the moment, or it is gone. */
  static boolean isNobodyThere(Throwable failure) {
    return failure instanceof JetStreamStatusException e && e.getStatus().getCode() == NOBODY_THERE;
  }

  /** Whether a publish that failed so can be tried again without storing the message twice. */
  static boolean mayBeSentAgain(Throwable failure) {
    return isNobodyThere(failure)
        || (failure instanceof Server.NotSent
            && !(failure.getCause() instanceof IllegalArgumentException)) // too large remains so
        || (failure instanceof JetStreamApiException e
            && e.getApiErrorCode() == TOO_MANY_AT_A_TIME);
  }

  /** Whether a publish that failed so was certainly not stored, by any server. */
  static boolean isNotStored(Throwable failure) {
    return isNobodyThere(failure)
        || failure instanceof Server.NotSent
        || (failure instanceof JetStreamApiException e && NOT_STORED.contains(e.getApiErrorCode()));
  }
}
