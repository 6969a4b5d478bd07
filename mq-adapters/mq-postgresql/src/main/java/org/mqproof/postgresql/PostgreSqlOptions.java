package org.mqproof.postgresql;

import java.util.HashMap;
import java.util.List;
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

  static final ClientOptions ALL = ClientOptions.of("pgjdbc", known(), refused());

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

  private static Map<String, String> refused() {
    Map<String, String> refused = new HashMap<>();
    List.of("options", "autosave", "cleanupSavepoints", "preferQueryMode")
        .forEach(option -> refused.put(option, CONFIRM));
    List.of(
            "targetServerType",
            "hostRecheckSeconds",
            "loadBalanceHosts",
            "readOnly",
            "readOnlyMode",
            "replication")
        .forEach(option -> refused.put(option, PRIMARY));
    List.of("socketTimeout", "queryTimeout", "cancelSignalTimeout")
        .forEach(option -> refused.put(option, BOUND.formatted("call.bound")));
    List.of("connectTimeout", "loginTimeout")
        .forEach(option -> refused.put(option, BOUND.formatted("connect.bound")));
    refused.put("maxResultBuffer", "the largest body rests on it; setting max.body.bytes has it");
    List.of("PGHOST", "PGPORT", "service")
        .forEach(option -> refused.put(option, "setting addresses has it"));
    refused.put("PGDBNAME", "setting database has it");
    refused.put("currentSchema", "setting schema has it");
    refused.put("user", "setting username has it");
    refused.put("password", "setting password has it");
    return refused;
  }
}
