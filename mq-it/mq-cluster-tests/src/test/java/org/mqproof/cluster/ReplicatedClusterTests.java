package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The verbs of three nodes that keep copies of a queue and replace its leader, each seen to take
 * effect. For one thread, as JUnit runs it.
 */
abstract class ReplicatedClusterTests extends ClusterTests {

  static final Duration PATIENCE = Duration.ofSeconds(60);

  ReplicatedClusterTests(String system, String product) {
    super(system, product, 3);
  }

  /** Queues that are replicated in one way or another. */
  List<String> queues() {
    return List.of(QUEUE);
  }

  /** Sends so many durable messages, each confirmed, through whichever node leads. */
  abstract void send(String queue, int count) throws Exception;

  /** How many messages the queue has. */
  abstract long stored(String queue) throws Exception;

  /** Fails if a node that is back has not what the others have, where that can be asked. */
  void assertCaughtUp(int node) throws Exception {}

  /** The setting that says where the nodes are. */
  abstract String addresses();

  @Tag("full") // as are the next two: in each build the crash tests do this, under load
  @ParameterizedTest
  @MethodSource("queues")
  void whatIsConfirmedOutlivesTheLeader(String queue) throws Exception {
    send(queue, 10);
    long before = stored(queue);
    int leader = cluster().leader(queue);

    long killedAt = System.nanoTime();
    cluster().kill(leader);
    send(queue, 1);
    System.out.printf(
        "%s: leader killed; next confirm after %d ms%n", queue, millisSince(killedAt));

    assertThat(cluster().process(leader).isAlive()).isFalse();
    assertThat(cluster().leader(queue)).isNotEqualTo(leader);
    assertThat(stored(queue)).isEqualTo(before + 1);
    long restartedAt = System.nanoTime();
    cluster().restart(leader);
    System.out.printf("%s: in sync %d ms after its restart%n", queue, millisSince(restartedAt));
    assertThat(stored(queue)).isEqualTo(before + 1);
    assertCaughtUp(leader);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("queues")
  void aPausedLeaderIsReplacedAndComesBack(String queue) throws Exception {
    send(queue, 10);
    long before = stored(queue);
    int leader = cluster().leader(queue);

    long pausedAt = System.nanoTime();
    cluster().pause(leader);
    Processes.await("fail-over", PATIENCE, () -> cluster().anotherLeads(queue, leader));
    System.out.printf("%s: leader paused; another one after %d ms%n", queue, millisSince(pausedAt));

    assertThat(cluster().process(leader).isAlive()).isTrue();
    long resumedAt = System.nanoTime();
    cluster().resume(leader);
    cluster().heal();
    System.out.printf("%s: in sync %d ms after it went on%n", queue, millisSince(resumedAt));
    assertThat(stored(queue)).isEqualTo(before);
    assertCaughtUp(leader);
  }

  @Tag("full")
  @Test
  void messagesOutliveTheDeathOfEveryNode() throws Exception {
    for (String queue : queues()) {
      send(queue, 10);
    }
    List<Long> before = storedInAll();

    cluster().killAll();

    assertThat(processes()).noneMatch(ProcessHandle::isAlive);
    assertThatThrownBy(() -> cluster().leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(setting(addresses()));
    long restartedAt = System.nanoTime();
    cluster().heal();
    System.out.printf("all nodes in sync %d ms after their restart%n", millisSince(restartedAt));
    assertThat(storedInAll()).isEqualTo(before);
    send(QUEUE, 1);
  }

  private List<Long> storedInAll() throws Exception {
    List<Long> stored = new ArrayList<>();
    for (String queue : queues()) {
      stored.add(stored(queue));
    }
    return stored;
  }
}
