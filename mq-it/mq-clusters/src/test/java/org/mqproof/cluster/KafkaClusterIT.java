package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The verbs of a real three-node Kafka, each seen to take effect. */
class KafkaClusterIT {

  private static final String QUEUE = "verbs";

  private static Cluster cluster;
  private static KafkaMessages messages;

  @BeforeAll
  static void start() throws Exception {
    long startedAt = System.nanoTime();
    cluster = TestCluster.runnable("kafka").start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
    messages = new KafkaMessages(servers(), QUEUE);
    messages.createTopic();
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
    assertThat(DockerThings.of(directory)).isEmpty();
    assertThatThrownBy(() -> cluster.heal())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @Test
  void whatIsConfirmedOutlivesTheLeader() throws Exception {
    messages.produce(10);
    long before = messages.endOffset();
    int leader = cluster.leader(QUEUE);

    long killedAt = System.nanoTime();
    cluster.kill(leader);
    messages.produce(1);
    System.out.printf("leader killed; next confirm after %d ms%n", millisSince(killedAt));

    assertThat(cluster.process(leader).isAlive()).isFalse();
    assertThat(cluster.leader(QUEUE)).isNotEqualTo(leader);
    assertThat(messages.endOffset()).isEqualTo(before + 1);
    long restartedAt = System.nanoTime();
    cluster.restart(leader);
    System.out.printf("node in sync %d ms after its restart%n", millisSince(restartedAt));
    assertThat(messages.inSync()).isEqualTo(3);
  }

  @Test
  void aPausedNodeFallsOutOfSyncAndComesBack() throws Exception {
    int leader = cluster.leader(QUEUE);

    cluster.pause(leader);
    Processes.await("fail-over", Duration.ofSeconds(30), () -> cluster.leader(QUEUE) != leader);

    assertThat(cluster.process(leader).isAlive()).isTrue();
    cluster.resume(leader);
    cluster.heal();
    assertThat(messages.inSync()).isEqualTo(3);
  }

  @Test
  void messagesOutliveTheDeathOfEveryNode() throws Exception {
    messages.produce(10);
    long before = messages.endOffset();

    cluster.killAll();

    assertThat(IntStream.rangeClosed(1, 3).mapToObj(cluster::process))
        .noneMatch(ProcessHandle::isAlive);
    assertThatThrownBy(() -> cluster.leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(servers());
    long restartedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("all nodes in sync %d ms after their restart%n", millisSince(restartedAt));
    assertThat(messages.endOffset()).isEqualTo(before);
    messages.produce(1);
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path properties = cluster.directory().resolve("node-2/server.properties");
    String good = Files.readString(properties);
    cluster.kill(2);
    Files.writeString(properties, good + "min.insync.replicas=none\n");

    try {
      assertThatThrownBy(() -> cluster.restart(2))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 2 of Kafka " + cluster.version() + " died:")
          .hasMessageContaining("min.insync.replicas");
    } finally {
      Files.writeString(properties, good);
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
  void aVersionThatDoesNotExistIsAClearError() {
    assertThatThrownBy(() -> KafkaCluster.start("0.0.0", Tuning.FAST, line -> {}))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot resolve Kafka 0.0.0 from Maven Central: ");
  }

  private static String servers() {
    return requireNonNull(cluster.settings().get("bootstrap.servers"));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
