package org.mqproof.cluster;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Starts a Kafka cluster as {@link KafkaClusterProvider} does, with containers for nodes.
 *
 * <p>The image is {@code apache/kafka}, in the version of the client, unless the system property
 * {@code mqproof.kafka.image} names another one with its tag, or {@code mqproof.images} is {@code
 * local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing is
 * pulled.
 */
public final class KafkaContainersProvider implements ClusterProvider {

  /** For {@link java.util.ServiceLoader}. */
  public KafkaContainersProvider() {}

  @Override
  public String system() {
    return "kafka";
  }

  @Override
  public String nodes() {
    return CONTAINERS;
  }

  private String image() {
    return Image.of(
        system(), "apache/kafka:" + KafkaClusterProvider.VERSION, KafkaClusterProvider.VERSION);
  }

  @Override
  public Optional<String> whyUnavailable() {
    return new KafkaClusterProvider()
        .whyUnavailable()
        .or(
            () ->
                new Docker(System.getenv()).whyUnavailable(image(), Image.help(system(), image())));
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    whyUnavailable()
        .ifPresent(
            reason -> {
              throw new ClusterException(reason);
            });
    return KafkaCluster.startContainers(image(), tuning);
  }
}
