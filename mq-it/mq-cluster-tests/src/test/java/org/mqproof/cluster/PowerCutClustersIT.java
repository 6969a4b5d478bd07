package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A node of a real cluster loses its power, and then all of them do; each time the cluster comes
 * back. To be ready again a cluster must store messages on every node.
 */
@Tag("full")
class PowerCutClustersIT {

  /** Every cluster has made it to see whether it is ready. */
  private static final String QUEUE = "mqproof-ready";

  @ParameterizedTest
  @ValueSource(strings = {"kafka", "rabbitmq", "mongodb", "artemis"})
  void oneNodeComesBackToTheOthersAndThenAllComeBack(String system) throws Exception {
    try (Cluster cluster = start(system)) {
      int leader = cluster.leader(QUEUE);

      cluster.cutPower(leader);

      IntStream.rangeClosed(1, cluster.nodes())
          .forEach(node -> assertThat(cluster.process(node).isAlive()).isEqualTo(node != leader));
      assertThatThrownBy(() -> cluster.cutPower(leader)).isInstanceOf(IllegalStateException.class);
      long begin = System.nanoTime();
      cluster.restart(leader);
      System.out.printf("%s: node %d is back in %d ms%n", cluster, leader, millisSince(begin));
      assertAllComeBack(cluster);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"activemq", "sqs"})
  void nodesOfOneDiskComeBackTogether(String system) throws Exception {
    try (Cluster cluster = start(system)) {
      cluster.cutPower(1);

      assertAllAre(cluster, false);
      cluster.heal();
      assertAllComeBack(cluster);
    }
  }

  /** The kernel gives the number of a namespace that is gone to the next one. */
  @Test
  void nobodyElseIsKilledWhileAClusterCloses() throws Exception {
    Cluster cluster = start("sqs");
    CompletableFuture<Void> closed = CompletableFuture.runAsync(cluster::close);
    List<Process> strangers = new ArrayList<>();

    while (!closed.isDone()) {
      strangers.add(new ProcessBuilder("unshare", "--mount", "sleep", "0.1").start());
    }
    closed.get(1, TimeUnit.MINUTES);

    for (Process stranger : strangers) {
      assertThat(stranger.waitFor()).as("of %d", strangers.size()).isZero();
    }
  }

  private static Cluster start(String system) {
    return TestCluster.start(
        TestCluster.runnable(system), Map.of(ClusterProvider.POWER_PROPERTY, "true"));
  }

  private static void assertAllComeBack(Cluster cluster) throws Exception {
    for (int node = 1; node <= cluster.nodes(); node++) {
      Process sync = new ProcessBuilder("sync", "-f", cluster.disk(node).toString()).start();
      assertThat(sync.waitFor()).isZero();
    }

    cluster.cutPowerAll();

    assertAllAre(cluster, false);
    long begin = System.nanoTime();
    cluster.heal();
    System.out.printf("%s: all nodes are back in %d ms%n", cluster, millisSince(begin));
    assertAllAre(cluster, true);
  }

  private static void assertAllAre(Cluster cluster, boolean alive) {
    assertThat(IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::process))
        .allMatch(process -> process.isAlive() == alive);
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
