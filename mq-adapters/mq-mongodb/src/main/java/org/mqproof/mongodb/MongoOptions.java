package org.mqproof.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import java.net.URLEncoder;
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

  static final ClientOptions ALL =
      ClientOptions.of("MongoDB's driver")
          .shown(
              "minPoolSize",
              "maxPoolSize",
              "maxIdleTimeMS",
              "maxLifeTimeMS",
              "maxConnecting",
              "zlibCompressionLevel",
              "localThresholdMS",
              "proxyPort")
          .secret(
              "appName",
              "replicaSet",
              "compressors",
              "serverMonitoringMode",
              "authMechanism",
              "authMechanismProperties",
              "proxyHost",
              "proxyUsername",
              "proxyPassword")
          .refused(CONFIRM, "w", "journal", "wtimeoutMS", "safe", "fsync", "retryWrites")
          .refused(
              CLAIMS,
              "readConcernLevel",
              "readPreference*",
              "maxStalenessSeconds",
              "slaveOk",
              "retryReads",
              "directConnection",
              "loadBalanced")
          .refused(
              BOUND.formatted("call.bound"), "socketTimeoutMS", "timeoutMS", "heartbeatFrequencyMS")
          .refused(
              BOUND.formatted("connect.bound"),
              "connectTimeoutMS",
              "serverSelectionTimeoutMS",
              "waitQueue*")
          .refused(TLS, "tls*", "ssl*")
          .refused("setting addresses has the nodes", "srv*")
          .refused("setting auth.source has it", "authSource");

  private MongoOptions() {}

  /**
   * Sets what is given; what a connection string sets besides, the caller sets again.
   *
   * @throws IllegalArgumentException with one sentence for a value that is not taken
   */
  static void put(Map<String, String> given, String hosts, MongoClientSettings.Builder builder) {
    ALL.check(
        "mongodb",
        given,
        (option, value) -> {
          ConnectionString unused = new ConnectionString(url(hosts, Map.of(option, value)));
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
