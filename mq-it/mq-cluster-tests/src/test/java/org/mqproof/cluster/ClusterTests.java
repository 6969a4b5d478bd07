package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
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
 * What is true of every cluster that is made of processes or containers, whoever leads it. For one
 * thread, as JUnit runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClusterTests {

  static final String QUEUE = "verbs";

  private final String system;
  final String product;
  private final int nodes;
  private @Nullable Cluster started;

  /**
   * A system.
   *
   * @param product its name in messages
   * @param nodes how many a cluster must have
   */
  ClusterTests(String system, String product, int nodes) {
    this.system = system;
    this.product = product;
    this.nodes = nodes;
  }

  /** Breaks a configuration file in a way that a node does not survive. */
  abstract String breakConfiguration(String text);

  /** The name of the configuration file, and a word of the error that the break leads to. */
  abstract List<String> configurationFileAndError();

  /** Makes what the tests need, once the cluster has started. */
  void prepare() throws Exception {}

  @BeforeAll
  void start() throws Exception {
    long startedAt = System.nanoTime();
    started = TestCluster.runnable(system).start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", started, millisSince(startedAt));
    prepare();
  }

  Cluster cluster() {
    return requireNonNull(started, "no cluster");
  }

  /** A setting that clients need, and errors name. */
  String setting(String key) {
    return requireNonNull(cluster().settings().get(key), key);
  }

  @AfterEach
  void heal() throws Exception {
    cluster().heal();
  }

  @AfterAll
  void close() {
    if (started == null) {
      return; // skipped
    }
    Cluster cluster = started;
    List<ProcessHandle> processes = processes();
    Path directory = cluster.directory();
    assertThat(processes).hasSize(nodes).allMatch(ProcessHandle::isAlive);

    cluster.close();
    cluster.close();

    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory).doesNotExist();
    assertThat(DockerThings.of(directory)).isEmpty();
    assertThatThrownBy(cluster::heal)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path path = cluster().directory().resolve("node-2").resolve(configurationFileAndError().get(0));
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
    cluster().kill(nodes);

    assertThatThrownBy(() -> cluster().kill(nodes)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().pause(nodes)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().resume(nodes)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().restart(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().kill(nodes + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  final List<ProcessHandle> processes() {
    return IntStream.rangeClosed(1, nodes).mapToObj(cluster()::process).toList();
  }

  static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
