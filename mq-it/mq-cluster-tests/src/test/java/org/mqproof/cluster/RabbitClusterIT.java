package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.rabbitmq.RabbitClusterProvider;

/** A real three-node RabbitMQ. */
class RabbitClusterIT extends ReplicatedClusterTests {

  private static final String MIRRORED = RabbitClusterProvider.MIRRORED_PREFIX + "verbs-of-old";

  RabbitClusterIT() {
    super("rabbitmq", "RabbitMQ");
  }

  @Override
  void prepare() throws Exception {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
      if (hasMirroredQueues()) {
        channel.queueDeclare(MIRRORED, true, false, false, Map.of());
      }
    }
    cluster().heal(); // a node must have written down that it has a replica before it is killed
  }

  @Override
  List<String> queues() {
    return hasMirroredQueues() ? List.of(QUEUE, MIRRORED) : List.of(QUEUE);
  }

  private boolean hasMirroredQueues() {
    return RabbitClusterProvider.hasMirroredQueues(cluster().version());
  }

  @Override
  String addresses() {
    return "addresses";
  }

  @Override
  String breakConfiguration(String text) {
    return text + "cluster_partition_handling = none\n";
  }

  @Override
  List<String> configurationFileAndError() {
    return List.of("rabbitmq.conf", "failed_to_prepare_configuration");
  }

  @Test
  void theOldNameFindsAMirroredQueueToo() {
    assumeTrue(hasMirroredQueues(), () -> "RabbitMQ %s has none".formatted(cluster().version()));
    assertThat(cluster().leader(MIRRORED.substring(RabbitClusterProvider.MIRRORED_PREFIX.length())))
        .isEqualTo(cluster().leader(MIRRORED));
  }

  @Test
  void nobodyElseGetsIn() {
    ConnectionFactory guest = factory();
    guest.setUsername("guest");
    guest.setPassword("guest");

    assertThatThrownBy(() -> guest.newConnection(servers()))
        .isInstanceOf(AuthenticationFailureException.class);
  }

  /** Publishes one by one, each until it is confirmed: some may be there twice after a fault. */
  @Override
  void send(String queue, int count) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    int confirmed = 0;
    while (confirmed < count) {
      try (Connection connection = connect();
          Channel channel = connection.createChannel()) {
        channel.confirmSelect();
        while (confirmed < count) {
          channel.basicPublish("", queue, true, MessageProperties.PERSISTENT_BASIC, new byte[100]);
          channel.waitForConfirmsOrDie(20_000);
          confirmed++;
        }
      } catch (IOException | AlreadyClosedException | TimeoutException e) {
        assertThat(System.nanoTime() - deadline).as("time left after %s", e).isNegative();
      }
    }
  }

  @Override
  long stored(String queue) throws Exception {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      return channel.messageCount(queue);
    } catch (ShutdownSignalException e) {
      throw new IOException("cannot count what is in " + queue, e);
    }
  }

  private Connection connect() throws IOException, TimeoutException {
    return factory().newConnection(servers());
  }

  private ConnectionFactory factory() {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername(setting("username"));
    factory.setPassword(setting("password"));
    factory.setVirtualHost(setting("virtual.host"));
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(3_000);
    factory.setHandshakeTimeout(3_000);
    factory.setChannelRpcTimeout(20_000);
    return factory;
  }

  private List<Address> servers() {
    return List.of(Address.parseAddresses(setting(addresses())));
  }
}
