package org.mqproof.artemis;

import java.util.HashMap;
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

  static final ClientOptions ALL =
      ClientOptions.of("Artemis' client")
          .known(ArtemisOptions::known) // later: the names of its connector bring up Netty
          .refused(CONFIRM, "blockOn*", "confirmationWindowSize", "batchDelay")
          .refused(ACKS, "preAcknowledge", "dupsOKBatchSize", "ignoreJTA")
          .refused(COMPETE, "autoGroup", "groupID", "clientID", "enableSharedClientID")
          .refused(
              BODIES,
              "compress*",
              "incomingInterceptorList",
              "outgoingInterceptorList",
              "protocolManager*")
          .refused(
              BOUND, "call*", "connect-timeout-millis", "producerWindowSize", "producerMaxRate")
          .refused(SILENCE, "connectionTTL", "clientFailureCheckPeriod")
          .refused(
              FAIL_OVER,
              "reconnectAttempts",
              "initialConnectAttempts",
              "retryInterval*",
              "maxRetryInterval",
              "failoverOnInitialConnection",
              "useTopologyForLoadBalancing",
              "connectionLoadBalancingPolicyClassName")
          .refused(
              THREADS,
              "useGlobal*",
              "useNioGlobal*",
              "remotingThreads",
              "nioRemotingThreads",
              "threadPoolMaxSize",
              "scheduledThreadPoolMaxSize")
          .refused(
              TLS,
              "ssl*",
              "forceSSLParameters",
              "verifyHost",
              "trust*",
              "keyStore*",
              "keyPassword",
              "useDefaultSslContext")
          .refused("setting addresses has it", "host", "port", "brokerURL", "activemqServerName")
          .refused("setting username has it", "user")
          .refused("setting password has it", "password", "passwordCodec", "activemq.*")
          .refused("setting consumer.window.bytes has it", "consumerWindowSize")
          .refused("a queue's name rests on it", "enable1xPrefixes");

  private ArtemisOptions() {}

  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>(Beans.options(ActiveMQConnectionFactory.class));
    TransportConstants.ALLOWABLE_CONNECTOR_KEYS.forEach(
        option -> known.put(option, SHOWN.contains(option)));
    return known;
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
    ALL.check(
        "artemis",
        given,
        (option, value) -> {
          if (SHOWN.contains(option)) {
            if (!NUMBER_OR_BOOLEAN.matcher(value).matches()) {
              throw new IllegalArgumentException("neither a number nor a boolean");
            }
          } else if (!TransportConstants.ALLOWABLE_CONNECTOR_KEYS.contains(option)) {
            Beans.check(ActiveMQConnectionFactory.class, option, value);
          }
        });
  }
}
