package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What can be done to containers alone; the other verbs are in {@link KafkaClusterIT}. */
@EnabledIfSystemProperty(
    named = ClusterProvider.NODES_PROPERTY,
    matches = ClusterProvider.CONTAINERS,
    disabledReason = "runs with -Pcontainers")
class KafkaContainersIT {

  private static final String QUEUE = "links";

  private static Cluster cluster;
  private static List<String> servers;
  private static KafkaMessages messages;

  @BeforeAll
  static void start() throws Exception {
    cluster = TestCluster.runnable("kafka").start(Tuning.FAST);
    String bootstrapServers = requireNonNull(cluster.settings().get("bootstrap.servers"));
    servers = List.of(bootstrapServers.split(","));
    messages = new KafkaMessages(bootstrapServers, QUEUE);
    messages.createTopic();
  }

  @AfterEach
  void heal() {
    cluster.heal();
  }

  @AfterAll
  static void close() {
    if (cluster != null) { // else skipped
      cluster.close();
    }
  }

  @Test
  void anIsolatedLeaderIsReplacedWhileClientsReachItAndComesBack() throws Exception {
    messages.produce(10);
    long before = messages.endOffset();
    int leader = cluster.leader(QUEUE);

    long isolatedAt = System.nanoTime();
    cluster.isolate(leader);
    Processes.await("fail-over", Duration.ofSeconds(30), () -> cluster.leader(QUEUE) != leader);
    others(leader).produce(1);
    System.out.printf("leader isolated; next confirm after %d ms%n", millisSince(isolatedAt));

    assertThat(cluster.process(leader).isAlive()).isTrue();
    assertThat(accepts(servers.get(leader - 1))).isTrue();
    assertThat(others(leader).inSync()).isEqualTo(2);
    long healedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("in sync %d ms after it was connected again%n", millisSince(healedAt));
    assertThat(messages.inSync()).isEqualTo(3);
    assertThat(messages.endOffset()).isEqualTo(before + 1);
  }

  @Test
  void aNodeThatDiedIsolatedComesBackConnected() throws Exception {
    cluster.isolate(2);
    cluster.kill(2);

    cluster.heal();

    assertThat(messages.inSync()).isEqualTo(3);
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster.isolate(3);
    cluster.kill(1);

    assertThatThrownBy(() -> cluster.isolate(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.isolate(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.isolate(4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cluster.cut(2)).isInstanceOf(UnsupportedOperationException.class);
  }

  private static boolean accepts(String server) throws IOException {
    int colon = server.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              server.substring(0, colon), Integer.parseInt(server.substring(colon + 1))),
          3_000);
      return true;
    }
  }

  private static KafkaMessages others(int than) {
    return new KafkaMessages(
        IntStream.rangeClosed(1, servers.size())
            .filter(node -> node != than)
            .mapToObj(node -> servers.get(node - 1))
            .collect(Collectors.joining(",")),
        QUEUE);
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
