package org.mqproof.activemq;

import java.util.HashMap;
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

  static final ClientOptions ALL =
      ClientOptions.of("ActiveMQ's client")
          .known(known())
          .refused(CONFIRM, "jms.alwaysSyncSend", "jms.useAsyncSend")
          .refused(
              ACKS,
              "jms.optimize*",
              "jms.sendAcksAsync",
              "jms.transactedIndividualAck",
              "jms.redeliveryPolicy*",
              "jms.nonBlockingRedelivery",
              "jms.checkForDuplicates",
              "jms.audit*",
              "jms.consumer*",
              "jms.rmIdFromConnectionId")
          .refused(COMPETE, "jms.exclusiveConsumer", "jms.clientID", "jms.useRetroactiveConsumer")
          .refused(BODIES, "jms.useCompression", "jms.copyMessageOnSend")
          .refused(
              BOUND,
              "jms.sendTimeout",
              "jms.requestTimeout",
              "jms.closeTimeout",
              "jms.connectResponseTimeout",
              "jms.producerWindowSize",
              "connectionTimeout",
              "soTimeout",
              "socket.soTimeout",
              "soLinger")
          .refused(
              "when messages of a dead receiver come back rests on it; setting silence.bound has it",
              "wireFormat.maxInactivityDuration*")
          .refused(
              THREADS,
              "jms.maxThreadPoolSize",
              "jms.useDedicatedTaskRunner",
              "jms.useVirtualThreadTaskRunner",
              "daemon",
              "closeAsync")
          .refused(LOGGED, "trace", "logWriterName", "startLogging", "dynamicManagement", "jmxPort")
          .refused(
              TLS,
              "verifyHostName",
              "socket.needClientAuth",
              "socket.wantClientAuth",
              "socket.useClientMode",
              "socket.enableSessionCreation")
          .refused("setting prefetch has it", "jms.prefetchPolicy*")
          .refused("setting addresses has it", "jms.brokerURL")
          .refused("setting username has it", "jms.userName")
          .refused("setting password has it", "jms.password")
          .refused("this adapter reads no advisories", "jms.watchTopicAdvisories")
          .refused("setting socket.buffer.bytes has it", "socketBufferSize");

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
    ALL.check(
        "activemq",
        given,
        (option, value) -> {
          if (option.startsWith(JMS)) {
            check(ActiveMQConnectionFactory.class, JMS, option, value);
          } else if (option.startsWith(WIRE_FORMAT)) {
            check(OpenWireFormatFactory.class, WIRE_FORMAT, option, value);
          } else if (!option.startsWith(SOCKET)) {
            check(SslTransport.class, "", option, value);
          } else if (ALL.isShown(option)) { // a list has no setter of text
            check(SSLSocket.class, SOCKET, option, value);
          }
        });
  }

  private static void check(Class<?> bean, String prefix, String option, String value) {
    Beans.check(bean, option.substring(prefix.length()), value);
  }
}
