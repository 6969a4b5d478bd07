package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What faults of the network do to real clusters of every system but Kafka, which has a class of
 * its own. To be ready again a cluster must store messages on every node.
 */
class NetworkClustersIT {

  /** Every cluster has made it to see whether it is ready. */
  private static final String QUEUE = "mqproof-ready";

  private static final Duration FAIL_OVER = Duration.ofSeconds(30);

  @ParameterizedTest
  @ValueSource(strings = {"rabbitmq", "mongodb"})
  void anIsolatedLeaderIsReplacedByTheMajorityAndComesBack(String system) {
    try (Cluster cluster = start(system)) {
      assertIsolatedLeaderIsReplaced(cluster);
      assertSurvivesWithoutClients(cluster);
    }
  }

  /** What a pair goes by is a lock on a disk that both share, and no network. */
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "activemq"})
  void anIsolatedActiveNodeGoesOnAlone(String system) {
    try (Cluster cluster = start(system)) {
      assertIsolatedLeaderGoesOnAlone(cluster);
      assertSurvivesWithoutClients(cluster);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "sqs")
  void aSingleNodeIsIsolatedAnyway(String system) {
    try (Cluster cluster = start(system)) {
      assertThatThrownBy(() -> cluster.isolate(1)).isInstanceOf(IllegalStateException.class);

      assertSurvivesWithoutClients(cluster);
    }
  }

  private static Cluster start(String system) {
    long startedAt = System.nanoTime();
    Cluster cluster =
        TestCluster.start(
            TestCluster.runnable(system), Map.of(ClusterProvider.NETWORK_PROPERTY, "true"));
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
    return cluster;
  }

  static void assertIsolatedLeaderIsReplaced(Cluster cluster) {
    int leader = cluster.leader(QUEUE);

    long isolatedAt = System.nanoTime();
    cluster.isolate(leader);
    Processes.await("fail-over", FAIL_OVER, () -> cluster.anotherLeads(QUEUE, leader));
    System.out.printf(
        "%s: another leader after %d ms%n", cluster.system(), millisSince(isolatedAt));

    assertThat(cluster.process(leader).isAlive()).isTrue();
    assertIsReadyAgain(cluster);
  }

  static void assertIsolatedLeaderGoesOnAlone(Cluster cluster) {
    int leader = cluster.leader(QUEUE);

    cluster.isolate(leader);

    assertThat(cluster.leader(QUEUE)).isEqualTo(leader);
    assertIsReadyAgain(cluster);
  }

  private static void assertSurvivesWithoutClients(Cluster cluster) {
    cluster.cutAll();

    assertIsReadyAgain(cluster);
  }

  private static void assertIsReadyAgain(Cluster cluster) {
    long healedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("%s: ready %d ms after heal%n", cluster.system(), millisSince(healedAt));
    assertThat(IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::process))
        .allMatch(ProcessHandle::isAlive);
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
