package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verbs of a real three-node RabbitMQ, each seen to take effect. */
class RabbitClusterIT {

  private static final String QUORUM = "verbs";
  private static final String MIRRORED = RabbitClusterProvider.MIRRORED_PREFIX + "verbs-of-old";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    long startedAt = System.nanoTime();
    cluster = TestCluster.runnable("rabbitmq").start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(QUORUM, true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueDeclare(MIRRORED, true, false, false, Map.of());
    }
    cluster.heal(); // a node must have written down that it has a replica before it is killed
  }

  @AfterEach
  void heal() {
    cluster.heal();
  }

  @AfterAll
  static void close() {
    if (cluster == null) {
      return; // skipped
    }
    List<ProcessHandle> processes =
        IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::process).toList();
    Path directory = cluster.directory();
    assertThat(processes).hasSize(3).allMatch(ProcessHandle::isAlive);

    cluster.close();
    cluster.close();

    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory).doesNotExist();
    assertThatThrownBy(() -> cluster.heal())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @ParameterizedTest
  @ValueSource(strings = {QUORUM, MIRRORED})
  void whatIsConfirmedOutlivesTheLeader(String queue) throws Exception {
    publish(queue, 10);
    long before = messages(queue);
    int leader = cluster.leader(queue);

    long killedAt = System.nanoTime();
    cluster.kill(leader);
    publish(queue, 1);
    System.out.printf(
        "%s: leader killed; next confirm after %d ms%n", queue, millisSince(killedAt));

    assertThat(cluster.process(leader).isAlive()).isFalse();
    assertThat(cluster.leader(queue)).isNotEqualTo(leader);
    assertThat(messages(queue)).isEqualTo(before + 1);
    long restartedAt = System.nanoTime();
    cluster.restart(leader);
    System.out.printf("%s: in sync %d ms after its restart%n", queue, millisSince(restartedAt));
    assertThat(messages(queue)).isEqualTo(before + 1);
  }

  @Test
  void theOldNameFindsAMirroredQueueToo() {
    assertThat(cluster.leader(MIRRORED.substring(RabbitClusterProvider.MIRRORED_PREFIX.length())))
        .isEqualTo(cluster.leader(MIRRORED));
  }

  @ParameterizedTest
  @ValueSource(strings = {QUORUM, MIRRORED})
  void aPausedNodeIsReplacedAndComesBack(String queue) throws Exception {
    publish(queue, 10);
    long before = messages(queue);
    int leader = cluster.leader(queue);

    long pausedAt = System.nanoTime();
    cluster.pause(leader);
    Processes.await("fail-over", Duration.ofSeconds(30), () -> cluster.leader(queue) != leader);
    System.out.printf("%s: leader paused; another one after %d ms%n", queue, millisSince(pausedAt));

    assertThat(cluster.process(leader).isAlive()).isTrue();
    long resumedAt = System.nanoTime();
    cluster.resume(leader);
    cluster.heal();
    System.out.printf("%s: in sync %d ms after it went on%n", queue, millisSince(resumedAt));
    assertThat(messages(queue)).isEqualTo(before);
  }

  @Test
  void messagesOutliveTheDeathOfEveryNode() throws Exception {
    publish(QUORUM, 10);
    publish(MIRRORED, 10);
    long quorum = messages(QUORUM);
    long mirrored = messages(MIRRORED);

    cluster.killAll();

    assertThat(IntStream.rangeClosed(1, 3).mapToObj(cluster::process))
        .noneMatch(ProcessHandle::isAlive);
    assertThatThrownBy(() -> cluster.leader(QUORUM))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(requireNonNull(cluster.settings().get("addresses")));
    long restartedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("all nodes in sync %d ms after their restart%n", millisSince(restartedAt));
    assertThat(messages(QUORUM)).isEqualTo(quorum);
    assertThat(messages(MIRRORED)).isEqualTo(mirrored);
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path configuration = cluster.directory().resolve("node-2/rabbitmq.conf");
    String good = Files.readString(configuration);
    cluster.kill(2);
    Files.writeString(configuration, good + "cluster_partition_handling = none\n");

    try {
      assertThatThrownBy(() -> cluster.restart(2))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 2 of RabbitMQ " + cluster.version() + " died:")
          .hasMessageContaining("failed_to_prepare_configuration");
    } finally {
      Files.writeString(configuration, good);
    }
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster.kill(3);

    assertThatThrownBy(() -> cluster.kill(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.pause(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.resume(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.restart(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.kill(4)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nobodyElseGetsIn() {
    ConnectionFactory guest = factory();
    guest.setUsername("guest");
    guest.setPassword("guest");

    assertThatThrownBy(() -> guest.newConnection(addresses()))
        .isInstanceOf(AuthenticationFailureException.class);
  }

  /** Publishes one by one, each until it is confirmed: some may be there twice after a fault. */
  private static void publish(String queue, int count) throws Exception {
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

  private static long messages(String queue) throws Exception {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      return channel.messageCount(queue);
    } catch (ShutdownSignalException e) {
      throw new IOException("cannot count what is in " + queue, e);
    }
  }

  private static Connection connect() throws IOException, TimeoutException {
    return factory().newConnection(addresses());
  }

  private static ConnectionFactory factory() {
    Map<String, String> settings = cluster.settings();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername(requireNonNull(settings.get("username")));
    factory.setPassword(requireNonNull(settings.get("password")));
    factory.setVirtualHost(requireNonNull(settings.get("virtual.host")));
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(3_000);
    factory.setHandshakeTimeout(3_000);
    factory.setChannelRpcTimeout(20_000);
    return factory;
  }

  private static List<Address> addresses() {
    return List.of(Address.parseAddresses(requireNonNull(cluster.settings().get("addresses"))));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
