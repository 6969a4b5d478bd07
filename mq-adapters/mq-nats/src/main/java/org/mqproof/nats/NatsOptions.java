package org.mqproof.nats;

import io.nats.client.Options;
import java.util.Map;
import java.util.Properties;
import org.mqproof.spi.ClientOptions;

/**
 * Options of NATS' own client that settings {@code client.NAME} pass on: the properties of its
 * {@link Options}. No state.
 */
final class NatsOptions {

  private static final String NATS = "io.nats.client.";
  private static final String CONFIRM = "what is known of a send rests on it";
  private static final String BOUND = "that calls end in time rests on it; setting %s has it";
  private static final String TLS = "settings tls.* have it";
  private static final String THREADS = "that no thread outlives an Mq rests on it";
  private static final String SERVERS = "setting servers has it";

  static final ClientOptions ALL =
      ClientOptions.of("NATS' client")
          .shown(
              Options.PROP_SOCKET_READ_TIMEOUT_MS,
              Options.PROP_SOCKET_WRITE_TIMEOUT,
              Options.PROP_SOCKET_SO_LINGER,
              Options.PROP_SOCKET_RECEIVE_BUFFER_SIZE,
              Options.PROP_SOCKET_SEND_BUFFER_SIZE,
              Options.PROP_PEDANTIC,
              Options.PROP_NORANDOMIZE,
              Options.PROP_MAX_CONTROL_LINE,
              Options.PROP_TLS_FIRST,
              Options.PROP_FORCE_FLUSH_ON_REQUEST)
          .secret(
              Options.PROP_CONNECTION_NAME,
              Options.PROP_INBOX_PREFIX,
              Options.PROP_TOKEN_SUPPLIER,
              NATS + "time.trace",
              Options.PROP_STATISTICS_COLLECTOR)
          .refused(
              CONFIRM,
              NATS + "reconnect.*",
              NATS + "outgoingqueue.*",
              NATS + "nonoresponders",
              NATS + "noheaders",
              NATS + "reportNoResponders",
              NATS + "clientsidelimitchecks",
              NATS + "advanced.request.behavior",
              NATS + "callback.*",
              NATS + "verbose",
              "use.old.request.style")
          .refused(
              BOUND.formatted("call.bound"),
              NATS + "maxpings",
              NATS + "pinginterval",
              NATS + "cleanupinterval",
              NATS + "writeQueuePushTimeout",
              NATS + "use.timeout.exception")
          .refused(
              "NKeys take a library that this adapter does not bring", Options.PROP_CREDENTIAL_PATH)
          .refused(BOUND.formatted("connect.bound"), Options.PROP_CONNECTION_TIMEOUT)
          .refused(
              TLS,
              NATS + "secure",
              NATS + "opentls",
              NATS + "keyStore*",
              NATS + "trustStore*",
              NATS + "tls.algorithm",
              NATS + "dataport.type",
              NATS + "noResolveHostnames",
              NATS + "hostnameResolveMode",
              NATS + "fast.fallback",
              "ssl.context.factory.class")
          .refused(
              THREADS,
              "executor.*",
              "scheduled.*",
              "connect.*",
              "callback.*",
              "reader.*",
              "writer.*",
              "dispatcher.*",
              NATS + "use.dispatcher.with.executor")
          .refused(
              SERVERS,
              NATS + "servers",
              NATS + "url",
              "ignore_discovered_servers",
              "ignore.discovered.servers",
              "servers*")
          .refused("setting username has it", NATS + "username")
          .refused("setting password has it", NATS + "password")
          .refused("setting token has it", NATS + "token");

  private NatsOptions() {}

  /** A builder with what is given; what the adapter needs is to be set afterwards. */
  static Options.Builder builder(Map<String, String> given) {
    if (given.isEmpty()) {
      return new Options.Builder();
    }
    Properties properties = new Properties();
    properties.putAll(given);
    return new Options.Builder(properties);
  }

  /**
   * Fails for a value that the client would not take, which its own error would show.
   *
   * @throws IllegalArgumentException with one sentence
   */
  static void check(Map<String, String> given) {
    ALL.check(
        "nats",
        given,
        (option, value) -> {
          Options.Builder unused = builder(Map.of(option, value));
        });
  }
}
