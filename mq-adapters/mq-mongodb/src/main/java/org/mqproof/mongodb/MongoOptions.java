package org.mqproof.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import java.net.URLEncoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.mqproof.spi.ClientOptions;

/**
 * Options of MongoDB's own driver that settings {@code client.NAME} pass on: those of its
 * connection strings. No state.
 */
final class MongoOptions {

  private static final String CONFIRM = "a confirm rests on it; setting write.concern has it";
  private static final String CLAIMS = "that a claim hides a message rests on it";
  private static final String BOUND = "that calls end in time rests on it; setting %s has it";
  private static final String TLS = "settings tls.* have it";

  static final ClientOptions ALL = ClientOptions.of("MongoDB's driver", known(), refused());

  private MongoOptions() {}

  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>();
    List.of(
            "minPoolSize",
            "maxPoolSize",
            "maxIdleTimeMS",
            "maxLifeTimeMS",
            "maxConnecting",
            "zlibCompressionLevel",
            "localThresholdMS",
            "proxyPort")
        .forEach(option -> known.put(option, true));
    List.of(
            "appName",
            "replicaSet",
            "compressors",
            "serverMonitoringMode",
            "authMechanism",
            "authMechanismProperties",
            "proxyHost",
            "proxyUsername",
            "proxyPassword")
        .forEach(option -> known.put(option, false));
    return known;
  }

  private static Map<String, String> refused() {
    Map<String, String> refused = new HashMap<>();
    List.of("w", "journal", "wtimeoutMS", "safe", "fsync", "retryWrites")
        .forEach(option -> refused.put(option, CONFIRM));
    List.of(
            "readConcernLevel",
            "readPreference*",
            "maxStalenessSeconds",
            "slaveOk",
            "retryReads",
            "directConnection",
            "loadBalanced")
        .forEach(option -> refused.put(option, CLAIMS));
    List.of("socketTimeoutMS", "timeoutMS", "heartbeatFrequencyMS")
        .forEach(option -> refused.put(option, BOUND.formatted("call.bound")));
    List.of("connectTimeoutMS", "serverSelectionTimeoutMS", "waitQueue*")
        .forEach(option -> refused.put(option, BOUND.formatted("connect.bound")));
    List.of("tls*", "ssl*").forEach(option -> refused.put(option, TLS));
    List.of("srv*").forEach(option -> refused.put(option, "setting addresses has the nodes"));
    refused.put("authSource", "setting auth.source has it");
    return refused;
  }

  /**
   * Sets what is given; what a connection string sets besides, the caller sets again.
   *
   * @throws IllegalArgumentException with one sentence for a value that is not taken
   */
  static void put(Map<String, String> given, String hosts, MongoClientSettings.Builder builder) {
    given.forEach(
        (option, value) -> {
          try {
            ConnectionString unused = new ConnectionString(url(hosts, Map.of(option, value)));
          } catch (IllegalArgumentException e) { // it may have the value
            throw ALL.refused("mongodb", option, value);
          }
        });
    if (!given.isEmpty()) {
      builder.applyConnectionString(new ConnectionString(url(hosts, given)));
    }
  }

  private static String url(String hosts, Map<String, String> given) {
    return given.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), UTF_8))
        .collect(Collectors.joining("&", "mongodb://" + hosts + "/?", ""));
  }
}
