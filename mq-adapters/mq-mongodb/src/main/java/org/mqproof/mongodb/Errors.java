package org.mqproof.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import java.util.regex.Pattern;
import org.mqproof.support.Causes;

/** What MongoDB or its driver says, for our sentences. Thread-safe: no state. */
final class Errors {

  private static final Pattern DETAILS =
      Pattern.compile(
          "^(not authorized on .* to execute command \\{ \\w+: [^,]*),.*", Pattern.DOTALL);

  private Errors() {}

  /** The server's text where it said something, else the message of what was thrown last. */
  static String reason(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof MongoCommandException command) {
        return withoutDetails(command.getErrorMessage());
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

  /** Of a command for which a right is missing the server shows every field, a signature too. */
  private static String withoutDetails(String message) {
    return DETAILS.matcher(message).replaceFirst("$1 }");
  }
}
