package org.mqproof.cluster.rabbitmq;

import java.util.Optional;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.ContainersProvider;

/**
 * Starts a RabbitMQ cluster as {@link RabbitClusterProvider} does, with containers for nodes.
 *
 * <p>The image is {@code rabbitmq:4.0.5}, unless the system property {@code mqproof.rabbitmq.image}
 * names another one, whose tag must begin with its version, or {@code mqproof.images} is {@code
 * local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing is
 * pulled.
 */
public final class RabbitContainersProvider extends ContainersProvider {

  /** The version of Debian bookworm. */
  private static final String LOCAL_VERSION = "3.10.8";

  /** For {@link java.util.ServiceLoader}. */
  public RabbitContainersProvider() {
    super("rabbitmq", "rabbitmq", "rabbitmq:4.0.5", LOCAL_VERSION);
  }

  @Override
  protected Optional<String> whyNoClient() {
    return RabbitClusterProvider.whyNoClient();
  }

  @Override
  protected Cluster start(String image, Tuning tuning) {
    return RabbitCluster.startContainers(image, tuning);
  }
}
