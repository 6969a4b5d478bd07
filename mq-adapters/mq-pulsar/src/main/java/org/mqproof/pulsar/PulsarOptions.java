package org.mqproof.pulsar;

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

  static final ClientOptions ALL =
      ClientOptions.of("Pulsar's client")
          .shown(
              "concurrentLookupRequest",
              "maxLookupRequest",
              "maxLookupRedirects",
              "maxNumberOfRejectedRequestPerConnection",
              "connectionsPerBroker",
              "connectionMaxIdleSeconds",
              "useTcpNoDelay")
          .secret(
              "authPluginClassName",
              "authParams",
              "listenerName",
              "proxyServiceUrl",
              "socks5ProxyUsername",
              "socks5ProxyPassword",
              "description")
          .refused(
              BOUND.formatted("call.bound"),
              "operationTimeoutMs",
              "lookupTimeoutMs",
              "requestTimeoutMs",
              "initialBackoffIntervalNanos",
              "maxBackoffIntervalNanos",
              "memoryLimitBytes")
          .refused(BOUND.formatted("connect.bound"), "connectionTimeoutMs")
          .refused(
              "how soon a dead broker is noticed rests on it; setting keep.alive has it",
              "keepAliveIntervalSeconds")
          .refused(
              THREADS,
              "numIoThreads",
              "numListenerThreads",
              "enableBusyWait",
              "statsIntervalSeconds")
          .refused("a confirm rests on it: there are no transactions here", "enableTransaction")
          .refused(
              "settings tls.* have it", "tls*", "ssl*", "useKeyStoreTls", "autoCertRefreshSeconds")
          .refused("setting service.url has it", "serviceUrl", "useTls");

  private PulsarOptions() {}

  /**
   * Fails for a value that the client would not take, which its own error would show.
   *
   * @throws IllegalArgumentException with one sentence
   */
  static void check(Map<String, String> given) {
    ALL.check(
        "pulsar",
        given,
        (option, value) -> {
          ClientBuilder unused = PulsarClient.builder().loadConf(Map.of(option, value));
        });
  }
}
