package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The verbs of a real ActiveMQ pair, each seen to take effect. */
class ActiveMqClusterIT {

  private static final String QUEUE = "verbs";

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    long startedAt = System.nanoTime();
    cluster = ClusterProvider.named("activemq").start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
  }

  @AfterEach
  void heal() throws Exception {
    cluster.heal();
    receiveAll();
  }

  @AfterAll
  static void close() {
    List<ProcessHandle> processes =
        IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::process).toList();
    Path directory = cluster.directory();
    assertThat(processes).hasSize(2).allMatch(ProcessHandle::isAlive);

    cluster.close();
    cluster.close();

    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory).doesNotExist();
    assertThatThrownBy(() -> cluster.heal())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @Test
  void whatIsConfirmedOutlivesTheActiveNode() throws Exception {
    send(10);
    int active = cluster.leader(QUEUE);

    long killedAt = System.nanoTime();
    cluster.kill(active);
    send(1);
    System.out.printf("active node killed; next confirm after %d ms%n", millisSince(killedAt));

    assertThat(cluster.process(active).isAlive()).isFalse();
    assertThat(cluster.leader(QUEUE)).isEqualTo(3 - active);
    long restartedAt = System.nanoTime();
    cluster.restart(active);
    System.out.printf("node on standby %d ms after its restart%n", millisSince(restartedAt));
    assertThat(cluster.leader(QUEUE)).as("the other stays active").isEqualTo(3 - active);
    assertThat(receiveAll()).isEqualTo(11);
  }

  @Test
  void theDeathOfTheStandbyStopsNobody() throws Exception {
    int active = cluster.leader(QUEUE);

    cluster.kill(3 - active);
    send(10);

    assertThat(cluster.leader(QUEUE)).isEqualTo(active);
    cluster.restart(3 - active);
    assertThat(receiveAll()).isEqualTo(10);
  }

  /** The kernel frees the lock of a process that is dead, not of one that is stopped. */
  @Test
  void aPausedActiveNodeStallsItsClientsUntilItGoesOn() throws Exception {
    int active = cluster.leader(QUEUE);

    cluster.pause(active);
    CompletableFuture<Void> sending =
        CompletableFuture.runAsync(
            () -> {
              try {
                send(1);
              } catch (JMSException e) {
                throw new IllegalStateException(e);
              }
            });

    assertThatThrownBy(() -> sending.get(3, TimeUnit.SECONDS))
        .as("nothing is confirmed meanwhile")
        .isInstanceOf(TimeoutException.class);
    assertThat(cluster.leader(QUEUE)).isEqualTo(active);
    cluster.resume(active);
    sending.get(30, TimeUnit.SECONDS);
    cluster.heal();
    assertThat(cluster.leader(QUEUE)).isEqualTo(active);
    assertThat(receiveAll()).isEqualTo(1);
  }

  @Test
  void messagesOutliveTheDeathOfBothNodes() throws Exception {
    send(10);

    cluster.killAll();

    assertThat(IntStream.rangeClosed(1, 2).mapToObj(cluster::process))
        .noneMatch(ProcessHandle::isAlive);
    long restartedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("both nodes back %d ms after their restart%n", millisSince(restartedAt));
    assertThat(receiveAll()).isEqualTo(10);
  }

  @Test
  void aClusterWithoutAnActiveNodeHasNoLeader() {
    cluster.killAll();

    assertThatThrownBy(() -> cluster.leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(addresses())
        .hasMessageContaining("no active node");
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path xml = cluster.directory().resolve("node-2/activemq.xml");
    String good = Files.readString(xml);
    cluster.kill(2);
    Files.writeString(xml, good.replace("journalDiskSyncStrategy", "journalDiscSyncStrategy"));

    try {
      assertThatThrownBy(() -> cluster.restart(2))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 2 of ActiveMQ " + cluster.version() + " died:")
          .hasMessageContaining("journalDiscSyncStrategy");
    } finally {
      Files.writeString(xml, good);
    }
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster.kill(2);

    assertThatThrownBy(() -> cluster.kill(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.pause(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.resume(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.restart(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.kill(3)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aVersionThatDoesNotExistIsAClearError() {
    assertThatThrownBy(() -> ActiveMqCluster.start("0.0.0", Tuning.FAST, line -> {}))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot resolve ActiveMQ 0.0.0 from Maven Central: ");
  }

  private static void send(int count) throws JMSException {
    try (Connection connection = connect();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(session.createQueue(QUEUE))) {
      for (int i = 0; i < count; i++) {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(new byte[100]);
        producer.send(message);
      }
    }
  }

  /** Returns how many there were. */
  private static int receiveAll() throws JMSException {
    try (Connection connection = connect();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE))) {
      connection.start();
      int received = 0;
      while (consumer.receive(Duration.ofMillis(500).toMillis()) != null) {
        received++;
      }
      return received;
    }
  }

  private static Connection connect() throws JMSException {
    String servers = "tcp://" + addresses().replace(",", ",tcp://");
    return new ActiveMQConnectionFactory("failover:(%s)?timeout=60000".formatted(servers))
        .createConnection();
  }

  private static String addresses() {
    return requireNonNull(cluster.settings().get("addresses"));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
