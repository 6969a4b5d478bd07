package org.mqproof.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;

/** A Kafka cluster, each node a child JVM. Thread-safe, as {@link Cluster} says. */
final class KafkaCluster extends ProcessCluster {

  private final String bootstrapServers;
  private final KafkaProbe probe;

  private KafkaCluster(String version, String bootstrapServers, ClusterHome home) {
    super("Kafka", version, bootstrapServers, home);
    this.bootstrapServers = bootstrapServers;
    probe = new KafkaProbe(bootstrapServers, KafkaNodes.COUNT);
  }

  static KafkaCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = KafkaNodes.resolve(version, progress);
    return start(
        "kafka",
        home -> {
          KafkaNodes.addTo(home, jars, tuning, Uuid.randomUuid().toString());
          String bootstrapServers =
              IntStream.rangeClosed(1, KafkaNodes.COUNT)
                  .mapToObj(node -> "127.0.0.1:" + KafkaNodes.brokerPort(home, node))
                  .collect(Collectors.joining(","));
          return new KafkaCluster(version, bootstrapServers, home);
        });
  }

  @Override
  public String system() {
    return "kafka";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("bootstrap.servers", bootstrapServers);
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
  List<String> notReady() throws InterruptedException {
    return probe.notReady();
  }
}
