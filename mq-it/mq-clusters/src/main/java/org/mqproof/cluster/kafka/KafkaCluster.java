package org.mqproof.cluster.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Image;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.Security;

/** A Kafka cluster, each node a child JVM or a container. Thread-safe, as {@link Cluster} says. */
final class KafkaCluster extends ProcessCluster {

  private static final Duration TOKEN_LIFE = Duration.ofHours(12);

  private final String bootstrapServers;

  private KafkaCluster(String version, ClusterHome home) {
    super("Kafka", version, KafkaNodes.addresses(home), home);
    bootstrapServers = KafkaNodes.addresses(home);
  }

  static KafkaCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = KafkaNodes.resolve(version, progress);
    return start(
        "kafka",
        KafkaNodes.COUNT,
        home -> {
          KafkaNodes.addTo(home, jars, tuning, Uuid.randomUuid().toString());
          return new KafkaCluster(version, home);
        });
  }

  static KafkaCluster startContainers(String image, Tuning tuning) {
    return start(
        "kafka",
        home -> {
          KafkaNodes.addTo(home, image, tuning, Uuid.randomUuid().toString());
          return new KafkaCluster(Image.tag(image), home);
        });
  }

  @Override
  public String system() {
    return "kafka";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of("bootstrap.servers", bootstrapServers);
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    Map<String, String> settings = new HashMap<>();
    settings.put("bootstrap.servers", KafkaNodes.addresses(home, access));
    if (access == Access.PASSWORD || access == Access.LEAST) {
      settings.put("sasl", "scram-sha-512");
      settings.put("username", access == Access.LEAST ? Access.LEAST_USER : Security.USER);
      settings.put("password", home.security().orElseThrow().password());
    }
    if (access == Access.TOKEN || access == Access.ENDED_TOKEN) {
      settings.put("sasl", "oauthbearer");
      settings.put(
          "token",
          home.security()
              .orElseThrow()
              .authority()
              .token(Security.USER, access == Access.TOKEN ? TOKEN_LIFE : TOKEN_LIFE.negated()));
    }
    return settings;
  }

  /** Nobody but the cluster itself has any right until it is given. */
  @Override
  protected void form() {
    super.form();
    if (home.security().isEmpty()) {
      return;
    }
    try {
      String password = home.security().orElseThrow().password();
      probe().admit(Security.USER, password);
      probe().admitTo(Access.LEAST_QUEUE, Access.LEAST_USER, password);
    } catch (ExecutionException | TimeoutException e) {
      throw new ClusterException(
          "Kafka at %s does not take a user: %s".formatted(bootstrapServers, e), e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public int leader(String queue) {
    home.requireOpen();
    try {
      return probe().leader(queue);
    } catch (ExecutionException | TimeoutException e) {
      throw new ClusterException(
          "Kafka at %s does not say who leads %s: %s".formatted(bootstrapServers, queue, e), e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private KafkaProbe probe() {
    return new KafkaProbe(KafkaNodes.addresses(home), KafkaNodes.COUNT);
  }

  @Override
  protected List<String> notReady() throws InterruptedException {
    return probe().notReady();
  }
}
