package org.mqproof.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import org.mqproof.support.Causes;

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
        return Causes.reason(e);
      }
      if (e instanceof MongoTimeoutException) {
        return "no primary, or no connection to it, in time";
      }
    }
    return Causes.reason(failure);
  }
}
