package org.mqproof.activemq;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.openwire.OpenWireFormatFactory;
import org.apache.activemq.transport.tcp.SslTransport;
import org.mqproof.spi.ClientOptions;
import org.mqproof.support.Beans;

/**
 * Options of ActiveMQ's own client that settings {@code client.NAME} pass on: those of its URLs. No
 * state.
 */
final class ActiveMqOptions {

  private static final String JMS = "jms.";
  private static final String WIRE_FORMAT = "wireFormat.";
  private static final String SOCKET = "socket.";

  private static final String CONFIRM = "a confirm rests on it; setting send has it";
  private static final String ACKS = "what an ack settles rests on it";
  private static final String COMPETE = "that receivers compete for single messages rests on it";
  private static final String BODIES = "that bodies arrive unchanged rests on it";
  private static final String BOUND =
      "that calls end in time rests on it; setting call.bound has it";
  private static final String TLS = "settings tls.* have it";
  private static final String THREADS = "that no thread outlives an Mq rests on it";
  private static final String LOGGED = "it would log what is sent";

  static final ClientOptions ALL = ClientOptions.of("ActiveMQ's client", known(), refused());

  private ActiveMqOptions() {}

  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>(Beans.options(SslTransport.class));
    Beans.options(ActiveMQConnectionFactory.class)
        .forEach((option, shown) -> known.put(JMS + option, shown));
    Beans.options(OpenWireFormatFactory.class)
        .forEach((option, shown) -> known.put(WIRE_FORMAT + option, shown));
    Beans.options(SSLSocket.class).forEach((option, shown) -> known.put(SOCKET + option, shown));
    known.put(SOCKET + "enabledCipherSuites", false);
    known.put(SOCKET + "enabledProtocols", false);
    return known;
  }

  private static Map<String, String> refused() {
    Map<String, String> refused = new HashMap<>();
    List.of("jms.alwaysSyncSend", "jms.useAsyncSend")
        .forEach(option -> refused.put(option, CONFIRM));
    List.of(
            "jms.optimize*",
            "jms.sendAcksAsync",
            "jms.transactedIndividualAck",
            "jms.redeliveryPolicy*",
            "jms.nonBlockingRedelivery",
            "jms.checkForDuplicates",
            "jms.audit*",
            "jms.consumer*",
            "jms.rmIdFromConnectionId")
        .forEach(option -> refused.put(option, ACKS));
    List.of("jms.exclusiveConsumer", "jms.clientID", "jms.useRetroactiveConsumer")
        .forEach(option -> refused.put(option, COMPETE));
    List.of("jms.useCompression", "jms.copyMessageOnSend")
        .forEach(option -> refused.put(option, BODIES));
    List.of(
            "jms.sendTimeout",
            "jms.requestTimeout",
            "jms.closeTimeout",
            "jms.connectResponseTimeout",
            "jms.producerWindowSize",
            "connectionTimeout",
            "soTimeout",
            "socket.soTimeout",
            "soLinger")
        .forEach(option -> refused.put(option, BOUND));
    refused.put(
        "wireFormat.maxInactivityDuration*",
        "when messages of a dead receiver come back rests on it; setting silence.bound has it");
    List.of(
            "jms.maxThreadPoolSize",
            "jms.useDedicatedTaskRunner",
            "jms.useVirtualThreadTaskRunner",
            "daemon",
            "closeAsync")
        .forEach(option -> refused.put(option, THREADS));
    List.of("trace", "logWriterName", "startLogging", "dynamicManagement", "jmxPort")
        .forEach(option -> refused.put(option, LOGGED));
    List.of(
            "verifyHostName",
            "socket.needClientAuth",
            "socket.wantClientAuth",
            "socket.useClientMode",
            "socket.enableSessionCreation")
        .forEach(option -> refused.put(option, TLS));
    refused.put("jms.prefetchPolicy*", "setting prefetch has it");
    refused.put("jms.brokerURL", "setting addresses has it");
    refused.put("jms.userName", "setting username has it");
    refused.put("jms.password", "setting password has it");
    refused.put("jms.watchTopicAdvisories", "this adapter reads no advisories");
    refused.put("socketBufferSize", "setting socket.buffer.bytes has it");
    return refused;
  }

  /** Adds what is of a URL; the rest is {@link #put}. */
  static void putUrl(Map<String, String> given, Map<String, Object> url) {
    given.forEach(
        (option, value) -> {
          if (!option.startsWith(JMS)) {
            url.put(option, value);
          }
        });
  }

  /** Sets what is of a factory. */
  static void put(Map<String, String> given, ActiveMQConnectionFactory factory) {
    given.forEach(
        (option, value) -> {
          if (option.startsWith(JMS)) {
            Beans.set(factory, option.substring(JMS.length()), value);
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
            if (option.startsWith(JMS)) {
              check(ActiveMQConnectionFactory.class, JMS, option, value);
            } else if (option.startsWith(WIRE_FORMAT)) {
              check(OpenWireFormatFactory.class, WIRE_FORMAT, option, value);
            } else if (!option.startsWith(SOCKET)) {
              check(SslTransport.class, "", option, value);
            } else if (ALL.isShown(option)) { // a list has no setter of text
              check(SSLSocket.class, SOCKET, option, value);
            }
          } catch (IllegalArgumentException e) { // it may have the value
            throw ALL.refused("activemq", option, value);
          }
        });
  }

  private static void check(Class<?> bean, String prefix, String option, String value) {
    Beans.check(bean, option.substring(prefix.length()), value);
  }
}
