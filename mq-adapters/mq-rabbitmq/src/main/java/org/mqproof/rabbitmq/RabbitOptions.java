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
      ClientOptions.of("RabbitMQ's client")
          .shown(
              "connection.channel.max",
              "connection.frame.max",
              "shutdown.timeout",
              "channel.should.check.rpc.response.type")
          .secret("client.properties.*")
          .refused(SILENT_GAP, "connection.recovery.*", "topology.recovery.*")
          .refused(
              "when messages of a dead receiver come back rests on it; setting heartbeat has it",
              "connection.heartbeat")
          .refused(BOUND.formatted("connect.bound"), "connection.timeout", "handshake.timeout")
          .refused(BOUND.formatted("call.bound"), "channel.rpc.timeout")
          .refused(OWN_SOCKETS, "use.nio", "nio.*")
          .refused("settings tls.* have it", "ssl.*")
          .refused("setting addresses has it", "uri", "host", "port")
          .refused("setting username has it", "username")
          .refused("setting password has it", "password")
          .refused("setting virtual.host has it", "virtual.host");

  private RabbitOptions() {}

  /**
   * Sets what is given.
   *
   * @throws IllegalArgumentException with one sentence for a value that is not taken
   */
  static void put(Map<String, String> given, ConnectionFactory factory) {
    ALL.check(
        "rabbitmq",
        given,
        (option, value) ->
            ConnectionFactoryConfigurator.load(new ConnectionFactory(), Map.of(option, value), ""));
    ConnectionFactoryConfigurator.load(factory, given, "");
  }
}
