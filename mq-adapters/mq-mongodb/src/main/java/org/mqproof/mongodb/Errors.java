package org.mqproof.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import org.jspecify.annotations.Nullable;

/** What MongoDB or its driver says, for our sentences. Thread-safe: no state. */
final class Errors {

  private Errors() {}

  /** The server's text where it said something, else the message of what was thrown last. */
  static String reason(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof MongoCommandException command) {
        return command.getErrorMessage();
      }
      if (e instanceof MongoSecurityException && e.getCause() == null) {
        return text(e);
      }
      if (e instanceof MongoTimeoutException) {
        return "no primary, or no connection to it, in time";
      }
    }
    Throwable shown = failure;
    while (isBlank(shown.getMessage()) && shown.getCause() != null) {
      shown = shown.getCause();
    }
    return text(shown);
  }

  private static String text(Throwable e) {
    return isBlank(e.getMessage()) ? e.getClass().getSimpleName() : String.valueOf(e.getMessage());
  }

  private static boolean isBlank(@Nullable String message) {
    return message == null || message.isBlank();
  }
}
