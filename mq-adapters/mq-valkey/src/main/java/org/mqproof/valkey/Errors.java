package org.mqproof.valkey;

import java.util.Set;
import org.mqproof.support.Causes;
import org.mqproof.support.TlsFailure;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What Valkey or its library says, for our sentences and outcomes. Thread-safe: no state. */
final class Errors {

  /** First words of what a node says that is no primary, or not one that may take a write. */
  private static final Set<String> NO_PRIMARY =
      Set.of("READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS", "UNBLOCKED");

  private static final Set<String> NOT_LET_IN = Set.of("WRONGPASS", "NOAUTH", "NOPERM");

  private Errors() {}

  static String reason(Throwable failure) {
    Throwable first = Causes.first(failure);
    if (isMissing(first)) {
      return "there is no such queue";
    }
    Throwable shown = first;
    while (shown instanceof JedisConnectionException && shown.getCause() != null) {
      shown = shown.getCause(); // says more
    }
    String reason = Causes.reason(shown);
    return TlsFailure.explain(first).orElse(reason);
  }

  /** Whether the stream or its group does not exist. */
  static boolean isMissing(Throwable failure) {
    return failure instanceof JedisDataException e
        && (word(e).equals("NOGROUP")
            || text(e).contains("no such key")
            || text(e).contains("no longer exists"));
  }

  /** Whether the group was there already. */
  static boolean isThere(JedisDataException failure) {
    return word(failure).equals("BUSYGROUP");
  }

  /** Whether a command was refused, and another node, or this one soon, may take it. */
  static boolean isNoPrimary(JedisException failure) {
    return failure instanceof JedisDataException
        && NO_PRIMARY.contains(word(failure))
        && !isMissing(failure);
  }

  /** Whether who connects is not let in: another attempt would end the same way. */
  static boolean isRefused(RuntimeException failure) {
    return failure instanceof JedisDataException && NOT_LET_IN.contains(word(failure));
  }

  private static String word(RuntimeException failure) {
    return text(failure).split(" ", 2)[0];
  }

  private static String text(RuntimeException failure) {
    return String.valueOf(failure.getMessage());
  }
}
