package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What faults of the network do to a real three-node Kafka. */
class KafkaNetworkIT {

  private static final String QUEUE = "network";
  private static final Duration SHORT = Duration.ofSeconds(6);

  private static Cluster cluster;
  private static List<String> servers;
  private static KafkaMessages messages;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        TestCluster.start(
            TestCluster.runnable("kafka"), Map.of(ClusterProvider.NETWORK_PROPERTY, "true"));
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
  void anIsolatedLeaderConfirmsNothingIsReplacedAndComesBack() throws Exception {
    messages.produce(10);
    long before = messages.endOffset();
    int leader = cluster.leader(QUEUE);

    long isolatedAt = System.nanoTime();
    cluster.isolate(leader);
    Processes.await("fail-over", Duration.ofSeconds(30), () -> cluster.leader(QUEUE) != leader);
    others(leader).produce(1);
    System.out.printf("leader isolated; next confirm after %d ms%n", millisSince(isolatedAt));

    assertThat(cluster.process(leader).isAlive()).isTrue();
    assertThat(others(leader).inSync()).isEqualTo(2);
    numbersWithout(leader).forEach(cluster::cut);
    assertTimesOut(messages); // from the isolated node, which still believes that it leads

    long healedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("in sync %d ms after the network was mended%n", millisSince(healedAt));
    assertThat(messages.inSync()).isEqualTo(3);
    assertThat(messages.endOffset()).isEqualTo(before + 1);
  }

  @Test
  void aLeaderThatNoClientReachesGoesOnLeading() throws Exception {
    messages.produce(10);
    long before = messages.endOffset();
    int leader = cluster.leader(QUEUE);

    cluster.cut(leader);

    assertThat(cluster.leader(QUEUE)).isEqualTo(leader);
    assertThat(others(leader).inSync()).isEqualTo(3);
    assertTimesOut(others(leader));
    cluster.heal();
    messages.produce(1);
    assertThat(messages.endOffset()).isGreaterThan(before);
  }

  @Test
  void clientsThatWereCutOffFromAllNodesComeBack() throws Exception {
    messages.produce(10);
    long before = messages.endOffset();

    cluster.cutAll();

    assertTimesOut(messages);
    assertThatThrownBy(() -> cluster.leader(QUEUE)).isInstanceOf(ClusterException.class);
    cluster.heal();
    assertThat(messages.endOffset()).isEqualTo(before);
    messages.produce(1);
  }

  @Test
  void aKilledNodeComesBackIntoItsNetwork() throws Exception {
    cluster.kill(2);
    others(2).produce(1); // confirmed when its death was noticed

    cluster.restart(2);

    assertThat(messages.inSync()).isEqualTo(3);
    cluster.isolate(2);
    others(2).produce(1);
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster.isolate(3);
    cluster.cutAll();

    assertThatThrownBy(() -> cluster.isolate(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.cut(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.cutAll()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.isolate(4)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertTimesOut(KafkaMessages unconfirmed) {
    assertThatThrownBy(() -> unconfirmed.produce(1, SHORT))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
  }

  private static KafkaMessages others(int than) {
    List<String> reached =
        numbersWithout(than).stream().map(node -> servers.get(node - 1)).toList();
    return new KafkaMessages(String.join(",", reached), QUEUE);
  }

  private static List<Integer> numbersWithout(int left) {
    return IntStream.rangeClosed(1, cluster.nodes()).filter(node -> node != left).boxed().toList();
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
