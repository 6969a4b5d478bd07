package org.mqproof.sqs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** What the service or the client says, for our sentences. Thread-safe: no state. */
final class Errors {

  private Errors() {}

  /** What a future failed with, without the wrapping. */
  static Throwable unwrap(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /** What we say of a request; else the message of the innermost cause that has one. */
  static String reason(Throwable failure) {
    String reason = failure.getClass().getSimpleName();
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof RequestFailed) {
        return String.valueOf(e.getMessage());
      }
      if (!isBlank(e.getMessage())) {
        reason = String.valueOf(e.getMessage());
      }
    }
    return reason;
  }

  /** Whether a connection that had been made ended before the answer. */
  static boolean isOfABrokenConnection(Throwable failure) {
    boolean broken = false;
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof ConnectException
          || e instanceof UnknownHostException
          || e instanceof SSLHandshakeException // the next one would fail as this one did
          || e instanceof SSLPeerUnverifiedException
          || e instanceof InterruptedIOException) { // a time-out, too
        return false;
      }
      broken |= e instanceof IOException;
    }
    return broken;
  }

  /** Whether a client gave up because its thread was interrupted. */
  static boolean isOfAnInterrupt(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof InterruptedException) {
        return true;
      }
    }
    return false;
  }

  /** Whether a request has failed already, because the thread that made it was interrupted. */
  static boolean isOfAnInterrupt(CompletableFuture<?> answer) {
    return answer.isCompletedExceptionally()
        && answer.handle((done, failure) -> isOfAnInterrupt(failure)).join();
  }

  private static boolean isBlank(@Nullable String message) {
    return message == null || message.isBlank();
  }
}
