package org.mqproof.postgresql;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mqproof.support.TlsFailure;

/** What PostgreSQL or its driver says, for our sentences and outcomes. Thread-safe: no state. */
final class Errors {

  private static final String NO_SUCH_TABLE = "42P01";
  private static final String NO_SUCH_SCHEMA = "3F000";
  private static final String READ_ONLY = "25006";

  /**
   * Classes of errors after which the statement has left nothing: bad data, violated constraints,
   * what does not exist or is not allowed, too few resources.
   */
  private static final Set<String> NOTHING_HAPPENED = Set.of("22", "23", "28", "3D", "42", "53");

  private Errors() {}

  /** What was said by whoever knows most: the cause, where the pool only says that it waited. */
  static String reason(Throwable failure) {
    if (failure instanceof SQLException e && isMissing(e)) {
      return "there is no such queue any more";
    }
    Throwable shown = failure;
    while (shown.getCause() instanceof SQLException || isBlank(shown.getMessage())) {
      Throwable cause = shown.getCause();
      if (cause == null) {
        break;
      }
      shown = cause;
    }
    String said =
        isBlank(shown.getMessage())
            ? shown.getClass().getSimpleName()
            : String.valueOf(shown.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
    return ofTls(shown).map(why -> said + ": " + why).orElse(said);
  }

  /** What TLS has to do with it, in the words of the settings. */
  private static Optional<String> ofTls(Throwable failure) {
    String said = String.valueOf(failure.getMessage());
    if (said.contains("server does not support SSL")) {
      return Optional.of("this port does not answer TLS: set tls=false, or take another port");
    }
    if (said.contains("no encryption")) {
      return Optional.of("set tls=true");
    }
    return said.contains("valid client certificate")
        ? Optional.of(
            "the broker wants a certificate of this client, tls.cert.file, that it trusts")
        : TlsFailure.explain(failure);
  }

  private static boolean isBlank(@Nullable String message) {
    return message == null || message.isBlank();
  }

  /** Whether a statement that failed so has certainly changed nothing. */
  static boolean nothingHappened(SQLException e) {
    String state = state(e);
    return isReadOnly(e)
        || (state.length() == 5 && NOTHING_HAPPENED.contains(state.substring(0, 2)));
  }

  /** Whether there is no such queue. */
  static boolean isMissing(SQLException e) {
    return state(e).equals(NO_SUCH_TABLE) || state(e).equals(NO_SUCH_SCHEMA);
  }

  /** Whether the node is no primary any more. */
  static boolean isReadOnly(SQLException e) {
    return state(e).equals(READ_ONLY);
  }

  /** Whether the connection was the reason, and another may do. Not if a pool had none to lend. */
  static boolean isBroken(SQLException e) {
    return !(e instanceof SQLTransientConnectionException)
        && (state(e).startsWith("08") || state(e).startsWith("57P"));
  }

  /** Whether who connects is not let in: another attempt would end the same way. */
  static boolean isRefused(SQLException e) {
    return state(e).startsWith("28") || state(e).startsWith("3D") || ofTls(e).isPresent();
  }

  private static String state(SQLException e) {
    String state = e.getSQLState();
    return state == null ? "" : state;
  }
}
