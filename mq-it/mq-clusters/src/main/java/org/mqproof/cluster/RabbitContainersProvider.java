package org.mqproof.cluster;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Starts a RabbitMQ cluster as {@link RabbitClusterProvider} does, with containers for nodes.
 *
 * <p>The image is {@code rabbitmq:4.0.5}, unless the system property {@code mqproof.rabbitmq.image}
 * names another one, whose tag must begin with its version, or {@code mqproof.images} is {@code
 * local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing is
 * pulled.
 */
public final class RabbitContainersProvider implements ClusterProvider {

  private static final String OFFICIAL = "rabbitmq:4.0.5";

  /** The version of Debian bookworm. */
  private static final String LOCAL_VERSION = "3.10.8";

  /** For {@link java.util.ServiceLoader}. */
  public RabbitContainersProvider() {}

  @Override
  public String system() {
    return "rabbitmq";
  }

  @Override
  public String nodes() {
    return CONTAINERS;
  }

  private String image() {
    return Image.of(system(), OFFICIAL, LOCAL_VERSION);
  }

  @Override
  public Optional<String> whyUnavailable() {
    return ClientClass.whyMissing(
            RabbitClusterProvider.CLIENT_CLASS,
            "RabbitMQ",
            "com.rabbitmq:amqp-client",
            "org.mqproof:mq-rabbitmq")
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
    return RabbitCluster.startContainers(image(), tuning);
  }
}
