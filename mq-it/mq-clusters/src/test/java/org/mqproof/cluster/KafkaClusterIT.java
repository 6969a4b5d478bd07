package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The verbs of a real three-node Kafka, each seen to take effect. */
class KafkaClusterIT {

  private static final String QUEUE = "verbs";
  private static final TopicPartition PARTITION = new TopicPartition(QUEUE, 0);

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    long startedAt = System.nanoTime();
    cluster = TestCluster.runnable("kafka").start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic(QUEUE, 1, (short) 3))).all().get();
    }
  }

  @AfterEach
  void heal() {
    cluster.heal();
  }

  @AfterAll
  static void close() {
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

  @Test
  void whatIsConfirmedOutlivesTheLeader() throws Exception {
    produce(10);
    long before = endOffset();
    int leader = cluster.leader(QUEUE);

    long killedAt = System.nanoTime();
    cluster.kill(leader);
    produce(1);
    System.out.printf("leader killed; next confirm after %d ms%n", millisSince(killedAt));

    assertThat(cluster.process(leader).isAlive()).isFalse();
    assertThat(cluster.leader(QUEUE)).isNotEqualTo(leader);
    assertThat(endOffset()).isEqualTo(before + 1);
    long restartedAt = System.nanoTime();
    cluster.restart(leader);
    System.out.printf("node in sync %d ms after its restart%n", millisSince(restartedAt));
    assertThat(inSync()).isEqualTo(3);
  }

  @Test
  void aPausedNodeFallsOutOfSyncAndComesBack() throws Exception {
    int leader = cluster.leader(QUEUE);

    cluster.pause(leader);
    Processes.await("fail-over", Duration.ofSeconds(30), () -> cluster.leader(QUEUE) != leader);

    assertThat(cluster.process(leader).isAlive()).isTrue();
    cluster.resume(leader);
    cluster.heal();
    assertThat(inSync()).isEqualTo(3);
  }

  @Test
  void messagesOutliveTheDeathOfEveryNode() throws Exception {
    produce(10);
    long before = endOffset();

    cluster.killAll();

    assertThat(IntStream.rangeClosed(1, 3).mapToObj(cluster::process))
        .noneMatch(ProcessHandle::isAlive);
    assertThatThrownBy(() -> cluster.leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(servers());
    long restartedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("all nodes in sync %d ms after their restart%n", millisSince(restartedAt));
    assertThat(endOffset()).isEqualTo(before);
    produce(1);
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

  private static void produce(int count) throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", servers(), "acks", "all", "delivery.timeout.ms", 60_000);
    ByteArraySerializer bytes = new ByteArraySerializer();
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes)) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(QUEUE, 0, null, new byte[100])).get();
      }
    }
  }

  private static long endOffset()
      throws ExecutionException, InterruptedException, TimeoutException {
    try (Admin admin = admin()) {
      return admin
          .listOffsets(Map.of(PARTITION, OffsetSpec.latest()))
          .partitionResult(PARTITION)
          .get(30, TimeUnit.SECONDS)
          .offset();
    }
  }

  private static int inSync() throws Exception {
    try (Admin admin = admin()) {
      Map<String, TopicDescription> topics =
          admin.describeTopics(List.of(QUEUE)).allTopicNames().get();
      return topics.values().iterator().next().partitions().get(0).isr().size();
    }
  }

  private static Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", servers()));
  }

  private static String servers() {
    return requireNonNull(cluster.settings().get("bootstrap.servers"));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
