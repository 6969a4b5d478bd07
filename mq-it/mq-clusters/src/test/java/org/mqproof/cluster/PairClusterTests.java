package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The verbs of a pair of which one node is active and the other one takes over, each seen to take
 * effect. For one thread, as JUnit runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PairClusterTests {

  static final String QUEUE = "verbs";

  private final String system;
  private final String product;
  private @Nullable Cluster started;

  PairClusterTests(String system, String product) {
    this.system = system;
    this.product = product;
  }

  /** Sends so many durable messages, each confirmed, through whichever node is active. */
  abstract void send(List<String> addresses, int count) throws Exception;

  /** Takes every message out of the queue; returns how many there were. */
  abstract int receiveAll(List<String> addresses) throws Exception;

  /** Starts a cluster of a version that does not exist. */
  abstract void startVersion(String version);

  /** Breaks a configuration file in a way that a node does not survive. */
  abstract String breakConfiguration(String text);

  /** The name of the configuration file, and a word of the error that the break leads to. */
  abstract List<String> configurationFileAndError();

  @BeforeAll
  void start() {
    long startedAt = System.nanoTime();
    started = TestCluster.runnable(system).start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", started, millisSince(startedAt));
  }

  Cluster cluster() {
    return requireNonNull(started, "no cluster");
  }

  @AfterEach
  void heal() throws Exception {
    cluster().heal();
    receiveAll();
  }

  @AfterAll
  void close() {
    Cluster cluster = cluster();
    List<ProcessHandle> processes =
        IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::process).toList();
    Path directory = cluster.directory();
    assertThat(processes).hasSize(2).allMatch(ProcessHandle::isAlive);

    cluster.close();
    cluster.close();

    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory).doesNotExist();
    assertThatThrownBy(cluster::heal)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @Test
  void whatIsConfirmedOutlivesTheActiveNode() throws Exception {
    send(10);
    int active = cluster().leader(QUEUE);

    long killedAt = System.nanoTime();
    cluster().kill(active);
    send(1);
    System.out.printf("active node killed; next confirm after %d ms%n", millisSince(killedAt));

    assertThat(cluster().process(active).isAlive()).isFalse();
    assertThat(cluster().leader(QUEUE)).isEqualTo(other(active));
    long restartedAt = System.nanoTime();
    cluster().restart(active);
    System.out.printf("node on standby %d ms after its restart%n", millisSince(restartedAt));
    assertThat(cluster().leader(QUEUE)).as("the other stays active").isEqualTo(other(active));
    assertThat(receiveAll()).isEqualTo(11);
  }

  @Test
  void theDeathOfTheStandbyStopsNobody() throws Exception {
    int active = cluster().leader(QUEUE);

    cluster().kill(other(active));
    send(10);

    assertThat(cluster().leader(QUEUE)).isEqualTo(active);
    cluster().restart(other(active));
    assertThat(cluster().leader(QUEUE)).isEqualTo(active);
    assertThat(receiveAll()).isEqualTo(10);
  }

  /**
   * What the pair goes by is freed by the kernel when a process is dead, not when it is stopped.
   */
  @Test
  void aPausedActiveNodeStallsItsClientsUntilItGoesOn() throws Exception {
    int active = cluster().leader(QUEUE);

    cluster().pause(active);
    CompletableFuture<Void> sending = CompletableFuture.runAsync(this::sendOne);

    assertThatThrownBy(() -> sending.get(5, TimeUnit.SECONDS))
        .as("nothing is confirmed meanwhile")
        .isInstanceOf(TimeoutException.class);
    assertThat(cluster().leader(QUEUE)).isEqualTo(active);
    cluster().resume(active);
    sending.get(60, TimeUnit.SECONDS);
    cluster().heal();
    assertThat(cluster().leader(QUEUE)).isEqualTo(active);
    assertThat(receiveAll()).isEqualTo(1);
  }

  private void sendOne() {
    try {
      send(1);
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void messagesOutliveTheDeathOfBothNodes() throws Exception {
    send(10);

    cluster().killAll();

    assertThat(IntStream.rangeClosed(1, 2).mapToObj(cluster()::process))
        .noneMatch(ProcessHandle::isAlive);
    long restartedAt = System.nanoTime();
    cluster().heal();
    System.out.printf("both nodes back %d ms after their restart%n", millisSince(restartedAt));
    assertThat(receiveAll()).isEqualTo(10);
  }

  /** In either order of starting: what decides is who has the newest data. */
  @Test
  void whatTheLastActiveNodeConfirmedAloneOutlivesTheDeathOfBoth() throws Exception {
    for (int round = 1; round <= 2; round++) {
      int first = cluster().leader(QUEUE);
      send(10);
      cluster().kill(first);
      send(5);
      int last = cluster().leader(QUEUE);
      assertThat(last).isEqualTo(other(first));

      cluster().killAll();
      cluster().heal();

      assertThat(receiveAll()).as("round %d, node %d was last", round, last).isEqualTo(15);
    }
  }

  @Test
  void aClusterWithoutAnActiveNodeHasNoLeader() {
    cluster().killAll();

    assertThatThrownBy(() -> cluster().leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(requireNonNull(cluster().settings().get("addresses")))
        .hasMessageContaining("no active node");
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    String file = configurationFileAndError().get(0);
    Path path = cluster().directory().resolve("node-2").resolve(file);
    String good = Files.readString(path);
    cluster().kill(2);
    Files.writeString(path, breakConfiguration(good));

    try {
      assertThat(path).content().isNotEqualTo(good);
      assertThatThrownBy(() -> cluster().restart(2))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 2 of %s %s died:".formatted(product, cluster().version()))
          .hasMessageContaining(configurationFileAndError().get(1));
    } finally {
      Files.writeString(path, good);
    }
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster().kill(2);

    assertThatThrownBy(() -> cluster().kill(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().pause(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().resume(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().restart(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().kill(3)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aVersionThatDoesNotExistIsAClearError() {
    assertThatThrownBy(() -> startVersion("0.0.0"))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot resolve %s 0.0.0 from Maven Central: ".formatted(product));
  }

  private void send(int count) throws Exception {
    send(addresses(), count);
  }

  private int receiveAll() throws Exception {
    return receiveAll(addresses());
  }

  final List<String> addresses() {
    return Arrays.asList(requireNonNull(cluster().settings().get("addresses")).split(",", -1));
  }

  private static int other(int node) {
    return 3 - node;
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
