package org.mqproof.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ConnectionFactoryConfigurator;
import java.util.Map;
import org.mqproof.spi.ClientOptions;

/**
 * Options of RabbitMQ's own client that settings {@code client.NAME} pass on: those of its {@link
 * ConnectionFactoryConfigurator}, without the prefix {@code rabbitmq.}. No state.
 */
final class RabbitOptions {

  private static final String SILENT_GAP =
      "that no confirm is lost rests on it: a lost connection is an error, and not a gap";
  private static final String BOUND = "that calls end in time rests on it; setting %s has it";
  private static final String OWN_SOCKETS = "connections are this adapter's own";

  static final ClientOptions ALL =
      ClientOptions.of(
          "RabbitMQ's client",
          Map.of(
              "connection.channel.max", true,
              "connection.frame.max", true,
              "shutdown.timeout", true,
              "channel.should.check.rpc.response.type", true,
              "client.properties.*", false),
          Map.ofEntries(
              Map.entry("connection.recovery.*", SILENT_GAP),
              Map.entry("topology.recovery.*", SILENT_GAP),
              Map.entry(
                  "connection.heartbeat",
                  "when messages of a dead receiver come back rests on it; setting heartbeat has"
                      + " it"),
              Map.entry("connection.timeout", BOUND.formatted("connect.bound")),
              Map.entry("handshake.timeout", BOUND.formatted("connect.bound")),
              Map.entry("channel.rpc.timeout", BOUND.formatted("call.bound")),
              Map.entry("use.nio", OWN_SOCKETS),
              Map.entry("nio.*", OWN_SOCKETS),
              Map.entry("ssl.*", "settings tls.* have it"),
              Map.entry("uri", "setting addresses has it"),
              Map.entry("host", "setting addresses has it"),
              Map.entry("port", "setting addresses has it"),
              Map.entry("username", "setting username has it"),
              Map.entry("password", "setting password has it"),
              Map.entry("virtual.host", "setting virtual.host has it")));

  private RabbitOptions() {}

  /**
   * Sets what is given.
   *
   * @throws IllegalArgumentException with one sentence for a value that is not taken
   */
  static void put(Map<String, String> given, ConnectionFactory factory) {
    given.forEach(
        (option, value) -> {
          try {
            ConnectionFactoryConfigurator.load(new ConnectionFactory(), Map.of(option, value), "");
          } catch (IllegalArgumentException e) { // it has the value
            throw ALL.refused("rabbitmq", option, value);
          }
        });
    ConnectionFactoryConfigurator.load(factory, given, "");
  }
}
