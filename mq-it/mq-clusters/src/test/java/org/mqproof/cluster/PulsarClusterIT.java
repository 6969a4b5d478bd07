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
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The verbs of a real three-node Pulsar, each seen to take effect. */
@Tag("full")
class PulsarClusterIT {

  private static final String QUEUE = "verbs";
  private static final String TOPIC = "persistent://public/default/" + QUEUE;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    long startedAt = System.nanoTime();
    cluster = TestCluster.runnable("pulsar").start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
    try (PulsarClient client = client();
        Consumer<byte[]> consumer =
            client.newConsumer().topic(TOPIC).subscriptionName("keeps-them").subscribe()) {
      assertThat(consumer.isConnected()).isTrue();
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
  void whatIsConfirmedOutlivesTheOwnerOfItsTopic() throws Exception {
    produce(10);
    int before = stored();
    int owner = cluster.leader(QUEUE);

    long killedAt = System.nanoTime();
    cluster.kill(owner);
    produce(1);
    System.out.printf("owner killed; next confirm after %d ms%n", millisSince(killedAt));

    assertThat(cluster.process(owner).isAlive()).isFalse();
    assertThat(cluster.leader(QUEUE)).isNotEqualTo(owner);
    assertThat(stored()).isEqualTo(before + 1);
    long restartedAt = System.nanoTime();
    cluster.restart(owner);
    System.out.printf("node ready %d ms after its restart%n", millisSince(restartedAt));
  }

  @Test
  void aPausedNodeLosesItsTopicsAndComesBack() {
    int owner = cluster.leader(QUEUE);

    cluster.pause(owner);
    Processes.await("fail-over", Duration.ofSeconds(60), () -> cluster.leader(QUEUE) != owner);

    assertThat(cluster.process(owner).isAlive()).isTrue();
    cluster.resume(owner);
    cluster.heal();
    assertThat(cluster.process(owner).isAlive()).isTrue();
  }

  @Test
  void messagesOutliveTheDeathOfEveryNode() throws Exception {
    produce(10);
    int before = stored();

    cluster.killAll();

    assertThat(IntStream.rangeClosed(1, 3).mapToObj(cluster::process))
        .noneMatch(ProcessHandle::isAlive);
    assertThatThrownBy(() -> cluster.leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(serviceUrl());
    long restartedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("all nodes ready %d ms after their restart%n", millisSince(restartedAt));
    assertThat(stored()).isEqualTo(before);
    produce(1);
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path configuration = cluster.directory().resolve("node-2/broker.conf");
    String good = Files.readString(configuration);
    cluster.kill(2);
    Files.writeString(configuration, good + "managedLedgerDefaultAckQuorum=none\n");

    try {
      assertThatThrownBy(() -> cluster.restart(2))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 2 of Pulsar " + cluster.version() + " died:")
          .hasMessageContaining("For input string: \"none\"");
    } finally {
      Files.writeString(configuration, good);
    }
  }

  private static void produce(int count) throws Exception {
    try (PulsarClient client = client();
        Producer<byte[]> producer =
            client.newProducer().topic(TOPIC).sendTimeout(60, TimeUnit.SECONDS).create()) {
      for (int i = 0; i < count; i++) {
        assertThat(producer.send(new byte[100])).isNotNull();
      }
    }
  }

  private static int stored() throws Exception {
    try (PulsarClient client = client();
        Reader<byte[]> reader =
            client.newReader().topic(TOPIC).startMessageId(MessageId.earliest).create()) {
      int stored = 0;
      while (reader.hasMessageAvailable()) {
        assertThat(reader.readNext()).isNotNull();
        stored++;
      }
      return stored;
    }
  }

  private static PulsarClient client() throws Exception {
    return PulsarClient.builder()
        .serviceUrl(serviceUrl())
        .operationTimeout(60, TimeUnit.SECONDS)
        .maxBackoffInterval(1, TimeUnit.SECONDS)
        .build();
  }

  private static String serviceUrl() {
    return requireNonNull(cluster.settings().get("service.url"));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
