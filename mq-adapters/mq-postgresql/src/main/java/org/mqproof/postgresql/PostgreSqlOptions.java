package org.mqproof.postgresql;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.mqproof.spi.ClientOptions;
import org.postgresql.PGProperty;

/** Options of pgjdbc that settings {@code client.NAME} pass on. No state. */
final class PostgreSqlOptions {

  private static final Pattern NUMBER_OR_BOOLEAN = Pattern.compile("-?\\d+|true|false");

  private static final String CONFIRM =
      "a confirm rests on it; setting synchronous.commit has what may be chosen";
  private static final String PRIMARY = "that the primary confirms rests on it";
  private static final String BOUND = "that calls end in time rests on it; setting %s has it";

  static final ClientOptions ALL =
      ClientOptions.of("pgjdbc")
          .known(known())
          .refused(CONFIRM, "options", "autosave", "cleanupSavepoints", "preferQueryMode")
          .refused(
              PRIMARY,
              "targetServerType",
              "hostRecheckSeconds",
              "loadBalanceHosts",
              "readOnly",
              "readOnlyMode",
              "replication")
          .refused(
              BOUND.formatted("call.bound"), "socketTimeout", "queryTimeout", "cancelSignalTimeout")
          .refused(BOUND.formatted("connect.bound"), "connectTimeout", "loginTimeout")
          .refused("the largest body rests on it; setting max.body.bytes has it", "maxResultBuffer")
          .refused("settings tls.* have it", "ssl*", "pemKeyAlgorithm")
          .refused("setting addresses has it", "PGHOST", "PGPORT", "service")
          .refused("setting database has it", "PGDBNAME")
          .refused("setting schema has it", "currentSchema")
          .refused("setting username has it", "user")
          .refused("setting password has it", "password");

  private PostgreSqlOptions() {}

  /** What has a number, a boolean or some words to choose from is no secret. */
  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>();
    for (PGProperty property : PGProperty.values()) {
      String otherwise = property.getDefaultValue();
      known.put(
          property.getName(),
          property.getChoices() != null
              || (otherwise != null && NUMBER_OR_BOOLEAN.matcher(otherwise).matches()));
    }
    return known;
  }
}
