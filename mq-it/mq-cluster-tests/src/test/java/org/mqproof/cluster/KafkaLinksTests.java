package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What happens to a real three-node Kafka whose nodes are cut off from each other, whatever is
 * between them. For one thread, as JUnit runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KafkaLinksTests {

  static final String QUEUE = "links";

  private @Nullable Cluster started;

  abstract Cluster startCluster();

  /** What else is to be seen while the leader is isolated and another one has replaced it. */
  abstract void whileIsolated(int leader) throws Exception;

  @BeforeAll
  void start() throws Exception {
    started = startCluster();
    messages().createTopic();
  }

  @AfterEach
  void heal() {
    cluster().heal();
  }

  @AfterAll
  void close() {
    if (started != null) { // else skipped
      started.close();
    }
  }

  @Test
  void anIsolatedLeaderIsReplacedAndComesBack() throws Exception {
    messages().produce(10);
    long before = messages().endOffset();
    int leader = cluster().leader(QUEUE);

    long isolatedAt = System.nanoTime();
    cluster().isolate(leader);
    Processes.await(
        "fail-over", Duration.ofSeconds(30), () -> cluster().anotherLeads(QUEUE, leader));
    others(leader).produce(1);
    System.out.printf("leader isolated; next confirm after %d ms%n", millisSince(isolatedAt));

    assertThat(cluster().process(leader).isAlive()).isTrue();
    assertThat(others(leader).inSync()).isEqualTo(2);
    whileIsolated(leader);
    long healedAt = System.nanoTime();
    cluster().heal();
    System.out.printf("in sync %d ms after it was connected again%n", millisSince(healedAt));
    assertThat(messages().inSync()).isEqualTo(3);
    assertThat(messages().endOffset()).isEqualTo(before + 1);
  }

  @Test
  void aKilledNodeComesBackIntoItsNetwork() throws Exception {
    cluster().kill(2);
    others(2).produce(1); // confirmed when its death was noticed

    cluster().restart(2);

    assertThat(messages().inSync()).isEqualTo(3);
    cluster().isolate(2);
    // Until the others have dropped it they name it to every client; one that asks it for the
    // number of a producer stays with it for minutes, as it answers and has none.
    Processes.await("drop", Duration.ofSeconds(30), () -> inSyncWithout(2) == 2);
    others(2).produce(1);
  }

  @Test
  void aNodeThatDiedIsolatedComesBackConnected() throws Exception {
    cluster().isolate(2);
    cluster().kill(2);

    cluster().heal();

    assertThat(messages().inSync()).isEqualTo(3);
  }

  @Test
  void whatIsIsolatedOrNotThereCannotBeIsolated() {
    cluster().isolate(3);

    assertThatThrownBy(() -> cluster().isolate(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().isolate(4)).isInstanceOf(IllegalArgumentException.class);
  }

  final Cluster cluster() {
    return requireNonNull(started, "no cluster");
  }

  final KafkaMessages messages() {
    return new KafkaMessages(String.join(",", servers()), QUEUE);
  }

  final KafkaMessages others(int than) {
    List<String> reached = numbersWithout(than).stream().map(this::server).toList();
    return new KafkaMessages(String.join(",", reached), QUEUE);
  }

  final List<Integer> numbersWithout(int left) {
    return IntStream.rangeClosed(1, cluster().nodes())
        .filter(node -> node != left)
        .boxed()
        .toList();
  }

  final String server(int node) {
    return servers().get(node - 1);
  }

  private int inSyncWithout(int node) {
    try {
      return others(node).inSync();
    } catch (Exception e) {
      throw new AssertionError("nobody says who is in sync", e);
    }
  }

  private List<String> servers() {
    return List.of(requireNonNull(cluster().settings().get("bootstrap.servers")).split(",", -1));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
