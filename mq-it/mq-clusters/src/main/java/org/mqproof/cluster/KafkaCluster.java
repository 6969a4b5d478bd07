package org.mqproof.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;

/** A Kafka cluster, each node a child JVM. Thread-safe, as {@link Cluster} says. */
final class KafkaCluster implements Cluster {

  private static final Duration READY_BOUND = Duration.ofMinutes(2);

  private final String version;
  private final ClusterHome home;
  private final String bootstrapServers;
  private final KafkaProbe probe;

  private KafkaCluster(String version, ClusterHome home) {
    this.version = version;
    this.home = home;
    bootstrapServers =
        IntStream.rangeClosed(1, KafkaNodes.COUNT)
            .mapToObj(node -> "127.0.0.1:" + KafkaNodes.brokerPort(home, node))
            .collect(Collectors.joining(","));
    probe = new KafkaProbe(bootstrapServers, KafkaNodes.COUNT);
  }

  static KafkaCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = KafkaNodes.resolve(version, progress);
    ClusterHome home = ClusterHome.create("kafka");
    try {
      KafkaNodes.addTo(home, jars, tuning, Uuid.randomUuid().toString());
      KafkaCluster cluster = new KafkaCluster(version, home);
      cluster.heal();
      return cluster;
    } catch (IOException e) {
      home.close();
      throw new ClusterException("cannot write the configuration of Kafka " + version, e);
    } catch (RuntimeException e) {
      home.close();
      throw e;
    }
  }

  @Override
  public String system() {
    return "kafka";
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("bootstrap.servers", bootstrapServers);
  }

  @Override
  public Path directory() {
    return home.directory();
  }

  @Override
  public int nodes() {
    return KafkaNodes.COUNT;
  }

  @Override
  public ProcessHandle process(int node) {
    return home.node(node).handle();
  }

  @Override
  public int leader(String queue) {
    home.requireOpen();
    try {
      return probe.leader(queue);
    } catch (ExecutionException | TimeoutException e) {
      throw new ClusterException(
          "Kafka at %s does not say who leads %s: %s".formatted(bootstrapServers, queue, e), e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public void kill(int node) {
    home.requireOpen();
    home.node(node).kill();
  }

  @Override
  public void killAll() {
    home.requireOpen();
    home.nodes().forEach(NodeProcess::killIfAlive);
  }

  @Override
  public void pause(int node) {
    home.requireOpen();
    home.node(node).pause();
  }

  @Override
  public void resume(int node) {
    home.requireOpen();
    home.node(node).resume();
  }

  @Override
  public void restart(int node) {
    home.start(home.node(node));
    awaitReady();
  }

  @Override
  public void heal() {
    home.requireOpen();
    for (NodeProcess node : home.nodes()) {
      node.resumeIfPaused();
      if (!node.isAlive()) {
        home.start(node);
      }
    }
    awaitReady();
  }

  private void awaitReady() {
    long deadline = System.nanoTime() + READY_BOUND.toNanos();
    try {
      List<String> notReady = probe.notReady();
      while (!notReady.isEmpty()) {
        requireAllAlive();
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "Kafka did not become ready in %d s: %s\n%s"
                  .formatted(READY_BOUND.toSeconds(), notReady, lastLogLines()));
        }
        home.pauseBetweenLooks();
        notReady = probe.notReady();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void requireAllAlive() {
    for (int node = 1; node <= nodes(); node++) {
      if (!home.node(node).isAlive()) {
        throw new ClusterException(
            "node %d of Kafka %s died:\n%s"
                .formatted(node, version, home.node(node).lastLogLines()));
      }
    }
  }

  private String lastLogLines() {
    List<String> logs = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      logs.add("node %d:\n%s".formatted(node, home.node(node).lastLogLines()));
    }
    return String.join("\n", logs);
  }

  private static ClusterException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ClusterException("interrupted while waiting for Kafka", e);
  }

  @Override
  public void close() {
    home.close();
  }

  @Override
  public String toString() {
    return "Kafka %s at %s".formatted(version, bootstrapServers);
  }
}
