package org.mqproof.cluster.sqs;

import java.util.Optional;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.ContainersProvider;

/**
 * Starts ElasticMQ as {@link ElasticMqClusterProvider} does, in a container.
 *
 * <p>The image is {@code softwaremill/elasticmq}, in the same version, unless the system property
 * {@code mqproof.elasticmq.image} names another one with its tag, or {@code mqproof.images} is
 * {@code local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing
 * is pulled.
 */
public final class ElasticMqContainersProvider extends ContainersProvider {

  /** For {@link java.util.ServiceLoader}. */
  public ElasticMqContainersProvider() {
    super(
        "sqs",
        "elasticmq",
        "softwaremill/elasticmq:" + ElasticMqClusterProvider.VERSION,
        ElasticMqClusterProvider.VERSION);
  }

  @Override
  protected Optional<String> whyNoClient() {
    return new ElasticMqClusterProvider().whyUnavailable();
  }

  @Override
  protected Cluster start(String image, Tuning tuning) {
    return ElasticMqCluster.startContainers(image, tuning);
  }
}
