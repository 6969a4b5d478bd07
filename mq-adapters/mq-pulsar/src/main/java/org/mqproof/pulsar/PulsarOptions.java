package org.mqproof.pulsar;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.mqproof.spi.ClientOptions;

/**
 * Options of Pulsar's own client that settings {@code client.NAME} pass on: those of its
 * configuration map. No state.
 */
final class PulsarOptions {

  private static final String BOUND = "that calls end in time rests on it; setting %s has it";
  private static final String THREADS = "that no thread outlives an Mq rests on it";

  static final ClientOptions ALL = ClientOptions.of("Pulsar's client", known(), refused());

  private PulsarOptions() {}

  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>();
    List.of(
            "concurrentLookupRequest",
            "maxLookupRequest",
            "maxLookupRedirects",
            "maxNumberOfRejectedRequestPerConnection",
            "connectionsPerBroker",
            "connectionMaxIdleSeconds",
            "useTcpNoDelay")
        .forEach(option -> known.put(option, true));
    List.of(
            "authPluginClassName",
            "authParams",
            "listenerName",
            "proxyServiceUrl",
            "socks5ProxyUsername",
            "socks5ProxyPassword",
            "description")
        .forEach(option -> known.put(option, false));
    return known;
  }

  private static Map<String, String> refused() {
    Map<String, String> refused = new HashMap<>();
    List.of(
            "operationTimeoutMs",
            "lookupTimeoutMs",
            "requestTimeoutMs",
            "initialBackoffIntervalNanos",
            "maxBackoffIntervalNanos",
            "memoryLimitBytes")
        .forEach(option -> refused.put(option, BOUND.formatted("call.bound")));
    refused.put("connectionTimeoutMs", BOUND.formatted("connect.bound"));
    refused.put(
        "keepAliveIntervalSeconds",
        "how soon a dead broker is noticed rests on it; setting keep.alive has it");
    List.of("numIoThreads", "numListenerThreads", "enableBusyWait", "statsIntervalSeconds")
        .forEach(option -> refused.put(option, THREADS));
    refused.put("enableTransaction", "a confirm rests on it: there are no transactions here");
    List.of("tls*", "ssl*", "useKeyStoreTls", "autoCertRefreshSeconds")
        .forEach(option -> refused.put(option, "settings tls.* have it"));
    refused.put("serviceUrl", "setting service.url has it");
    refused.put("useTls", "setting service.url has it");
    return refused;
  }

  /**
   * Fails for a value that the client would not take, which its own error would show.
   *
   * @throws IllegalArgumentException with one sentence
   */
  static void check(Map<String, String> given) {
    given.forEach(
        (option, value) -> {
          try {
            ClientBuilder unused = PulsarClient.builder().loadConf(Map.of(option, value));
          } catch (RuntimeException e) { // it may have the value
            throw ALL.refused("pulsar", option, value);
          }
        });
  }
}
