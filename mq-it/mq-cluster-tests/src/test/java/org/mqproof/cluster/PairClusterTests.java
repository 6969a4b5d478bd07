package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The verbs of a pair of which one node is active and the other one takes over, each seen to take
 * effect. For one thread, as JUnit runs it.
 */
abstract class PairClusterTests extends ClusterTests {

  PairClusterTests(String system, String product) {
    super(system, product, 2);
  }

  /** Sends so many durable messages, each confirmed, through whichever node is active. */
  abstract void send(List<String> addresses, int count) throws Exception;

  /** Takes every message out of the queue; returns how many there were. */
  abstract int receiveAll(List<String> addresses) throws Exception;

  /** Starts a cluster of a version that does not exist. */
  abstract void startVersion(String version);

  @Override
  @AfterEach
  void heal() throws Exception {
    super.heal();
    receiveAll();
  }

  @Tag("full") // in each build the crash tests do this, under load
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
  @Tag("full")
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

  @Tag("full")
  @Test
  void messagesOutliveTheDeathOfBothNodes() throws Exception {
    send(10);

    cluster().killAll();

    assertThat(processes()).noneMatch(ProcessHandle::isAlive);
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
        .hasMessageContaining(setting("addresses"))
        .hasMessageContaining("no active node");
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
    return Arrays.asList(setting("addresses").split(",", -1));
  }

  private static int other(int node) {
    return 3 - node;
  }
}
