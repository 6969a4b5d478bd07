package org.mqproof.cluster.activemq;

import java.util.Optional;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.ContainersProvider;

/**
 * Starts ActiveMQ Classic as {@link ActiveMqClusterProvider} does, with containers for nodes, which
 * share a directory of this machine.
 *
 * <p>The image is {@code apache/activemq-classic}, in the same version, unless the system property
 * {@code mqproof.activemq.image} names another one with its tag, or {@code mqproof.images} is
 * {@code local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing
 * is pulled.
 */
public final class ActiveMqContainersProvider extends ContainersProvider {

  /** For {@link java.util.ServiceLoader}. */
  public ActiveMqContainersProvider() {
    super(
        "activemq",
        "activemq",
        "apache/activemq-classic:" + ActiveMqClusterProvider.VERSION,
        ActiveMqClusterProvider.VERSION);
  }

  @Override
  protected Optional<String> whyNoClient() {
    return new ActiveMqClusterProvider().whyUnavailable();
  }

  @Override
  protected Cluster start(String image, Tuning tuning) {
    return ActiveMqCluster.startContainers(image, tuning);
  }
}
