package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KafkaClusterIT {

  @Test
  void starts() throws Exception {
    long t = System.nanoTime();
    try (Cluster cluster = ClusterProvider.named("kafka").start(Tuning.FAST)) {
      System.out.printf("started in %d ms: %s%n", (System.nanoTime() - t) / 1_000_000, cluster);
      assertThat(cluster.leader("mqproof-ready")).isBetween(1, 3);
      t = System.nanoTime();
      cluster.kill(2);
      cluster.restart(2);
      System.out.printf("restarted in %d ms%n", (System.nanoTime() - t) / 1_000_000);
      System.out.println(
          java.nio.file.Files.readString(cluster.directory().resolve("node-1/server.properties")));
    }
  }
}
