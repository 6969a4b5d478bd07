package org.mqproof.artemis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.mqproof.spi.ClientOptions;
import org.mqproof.support.Beans;

/**
 * Options of Artemis' own client that settings {@code client.NAME} pass on: the parameters of its
 * URLs, of a connection factory and of a connector. No state.
 */
final class ArtemisOptions {

  private static final String CONFIRM = "a confirm rests on it; setting send has it";
  private static final String ACKS = "what an ack settles rests on it";
  private static final String COMPETE = "that receivers compete for single messages rests on it";
  private static final String BODIES = "that bodies arrive unchanged rests on it";
  private static final String BOUND =
      "that calls end in time rests on it; setting call.bound has it";
  private static final String SILENCE =
      "when messages of a dead receiver come back rests on it; setting silence.bound has it";
  private static final String FAIL_OVER =
      "that a lost connection is an error rests on it; setting addresses has the nodes";
  private static final String THREADS = "that no thread outlives an Mq rests on it";
  private static final String TLS = "settings tls.* have it";

  /** Text of numbers and booleans; the client has no types for these. */
  private static final Set<String> SHOWN =
      Set.of(
          TransportConstants.TCP_NODELAY_PROPNAME,
          TransportConstants.TCP_SENDBUFFER_SIZE_PROPNAME,
          TransportConstants.TCP_RECEIVEBUFFER_SIZE_PROPNAME,
          TransportConstants.WRITE_BUFFER_LOW_WATER_MARK_PROPNAME,
          TransportConstants.WRITE_BUFFER_HIGH_WATER_MARK_PROPNAME,
          TransportConstants.LOCAL_PORT_PROP_NAME,
          TransportConstants.USE_EPOLL_PROP_NAME,
          TransportConstants.USE_KQUEUE_PROP_NAME);

  private static final Pattern NUMBER_OR_BOOLEAN = Pattern.compile("-?\\d{1,9}|true|false");

  static final ClientOptions ALL = ClientOptions.of("Artemis' client", known(), refused());

  private ArtemisOptions() {}

  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>(Beans.options(ActiveMQConnectionFactory.class));
    TransportConstants.ALLOWABLE_CONNECTOR_KEYS.forEach(
        option -> known.put(option, SHOWN.contains(option)));
    return known;
  }

  private static Map<String, String> refused() {
    Map<String, String> refused = new HashMap<>();
    List.of("blockOn*", "confirmationWindowSize", "batchDelay")
        .forEach(option -> refused.put(option, CONFIRM));
    List.of("preAcknowledge", "dupsOKBatchSize", "ignoreJTA")
        .forEach(option -> refused.put(option, ACKS));
    List.of("autoGroup", "groupID", "clientID", "enableSharedClientID")
        .forEach(option -> refused.put(option, COMPETE));
    List.of("compress*", "incomingInterceptorList", "outgoingInterceptorList", "protocolManager*")
        .forEach(option -> refused.put(option, BODIES));
    List.of("call*", "connect-timeout-millis", "producerWindowSize", "producerMaxRate")
        .forEach(option -> refused.put(option, BOUND));
    List.of("connectionTTL", "clientFailureCheckPeriod")
        .forEach(option -> refused.put(option, SILENCE));
    List.of(
            "reconnectAttempts",
            "initialConnectAttempts",
            "retryInterval*",
            "maxRetryInterval",
            "failoverOnInitialConnection",
            "useTopologyForLoadBalancing",
            "connectionLoadBalancingPolicyClassName")
        .forEach(option -> refused.put(option, FAIL_OVER));
    List.of("useGlobal*", "useNioGlobal*", "remotingThreads", "nioRemotingThreads")
        .forEach(option -> refused.put(option, THREADS));
    List.of("threadPoolMaxSize", "scheduledThreadPoolMaxSize")
        .forEach(option -> refused.put(option, THREADS));
    List.of(
            "ssl*",
            "forceSSLParameters",
            "verifyHost",
            "trust*",
            "keyStore*",
            "keyPassword",
            "useDefaultSslContext")
        .forEach(option -> refused.put(option, TLS));
    List.of("host", "port", "brokerURL", "activemqServerName")
        .forEach(option -> refused.put(option, "setting addresses has it"));
    refused.put("user", "setting username has it");
    List.of("password", "passwordCodec", "activemq.*")
        .forEach(option -> refused.put(option, "setting password has it"));
    refused.put("consumerWindowSize", "setting consumer.window.bytes has it");
    refused.put("enable1xPrefixes", "a queue's name rests on it");
    return refused;
  }

  /** Adds what is of a connector. */
  static void putConnector(Map<String, String> given, Map<String, Object> connector) {
    given.forEach(
        (option, value) -> {
          if (TransportConstants.ALLOWABLE_CONNECTOR_KEYS.contains(option)) {
            connector.put(option, value);
          }
        });
  }

  /** Sets what is of a factory. */
  static void put(Map<String, String> given, ActiveMQConnectionFactory factory) {
    given.forEach(
        (option, value) -> {
          if (!TransportConstants.ALLOWABLE_CONNECTOR_KEYS.contains(option)) {
            Beans.set(factory, option, value);
          }
        });
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
            if (SHOWN.contains(option)) {
              if (!NUMBER_OR_BOOLEAN.matcher(value).matches()) {
                throw new IllegalArgumentException("neither a number nor a boolean");
              }
            } else if (!TransportConstants.ALLOWABLE_CONNECTOR_KEYS.contains(option)) {
              Beans.check(ActiveMQConnectionFactory.class, option, value);
            }
          } catch (IllegalArgumentException e) { // it may have the value
            throw ALL.refused("artemis", option, value);
          }
        });
  }
}
