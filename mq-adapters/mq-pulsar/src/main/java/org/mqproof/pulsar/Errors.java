package org.mqproof.pulsar;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What Pulsar or its client says, for our sentences. */
final class Errors {

  private Errors() {}

  /** What was thrown first, without what only carries it from thread to thread. */
  static Throwable first(Throwable failure) {
    Throwable first = failure;
    while ((first instanceof ExecutionException || first instanceof CompletionException)
        && first.getCause() != null) {
      first = first.getCause();
    }
    return first;
  }

  static String reason(Throwable failure) {
    Throwable first = first(failure);
    String message = first.getMessage();
    return message == null || message.isBlank() ? first.getClass().getSimpleName() : message;
  }
}
