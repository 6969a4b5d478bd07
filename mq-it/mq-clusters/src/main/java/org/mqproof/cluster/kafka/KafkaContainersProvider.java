package org.mqproof.cluster.kafka;

import java.util.Optional;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.ContainersProvider;

/**
 * Starts a Kafka cluster as {@link KafkaClusterProvider} does, with containers for nodes.
 *
 * <p>The image is {@code apache/kafka}, in the version of the client, unless the system property
 * {@code mqproof.kafka.image} names another one with its tag, or {@code mqproof.images} is {@code
 * local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing is
 * pulled.
 */
public final class KafkaContainersProvider extends ContainersProvider {

  /** For {@link java.util.ServiceLoader}. */
  public KafkaContainersProvider() {
    super(
        "kafka",
        "kafka",
        "apache/kafka:" + KafkaClusterProvider.VERSION,
        KafkaClusterProvider.VERSION);
  }

  @Override
  protected Optional<String> whyNoClient() {
    return new KafkaClusterProvider().whyUnavailable();
  }

  @Override
  protected Cluster start(String image, Tuning tuning) {
    return KafkaCluster.startContainers(image, tuning);
  }
}
