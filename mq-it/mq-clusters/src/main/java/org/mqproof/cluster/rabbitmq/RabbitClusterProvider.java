package org.mqproof.cluster.rabbitmq;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts a RabbitMQ cluster of three nodes from the {@code rabbitmq-server} on the {@code PATH},
 * whatever version that is, or of the root directory that {@value #ROOT_PROPERTY} names.
 *
 * <p>Clients get a user of their own. A classic queue whose name begins with {@value
 * #MIRRORED_PREFIX} is mirrored on all nodes, where the version still has mirrored queues; every
 * other classic queue has one copy. A quorum queue has three, two of which a confirm waits for.
 */
public final class RabbitClusterProvider implements ClusterProvider {

  /**
   * The system property that names the root directory of another system, whose RabbitMQ is run
   * instead of this machine's. Needs Linux and root. {@code mq-it/mq-clusters/fetch-rabbitmq4}
   * makes such a directory.
   */
  public static final String ROOT_PROPERTY = "mqproof.rabbitmq.root";

  /** What the name of a classic queue begins with that is to be mirrored. */
  public static final String MIRRORED_PREFIX = RabbitNodes.MIRRORED_PREFIX;

  private static final String CLIENT_CLASS = "com.rabbitmq.client.ConnectionFactory";

  /** For {@link java.util.ServiceLoader}. */
  public RabbitClusterProvider() {}

  /**
   * Whether a version has mirrored queues.
   *
   * @param version of RabbitMQ, for example {@code "3.10.8"}
   * @return false from 4.0 on
   */
  public static boolean hasMirroredQueues(String version) {
    return Integer.parseInt(version.substring(0, version.indexOf('.'))) < 4;
  }

  @Override
  public String system() {
    return "rabbitmq";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return whyNoClient().or(RabbitClusterProvider::whyNoServer);
  }

  /** Why nobody can talk to a RabbitMQ here, wherever that runs. */
  static Optional<String> whyNoClient() {
    return ClientClass.whyMissing(
        CLIENT_CLASS, "RabbitMQ", "com.rabbitmq:amqp-client", "org.mqproof:mq-rabbitmq");
  }

  private static Optional<String> whyNoServer() {
    try {
      RabbitInstallation.find();
      return Optional.empty();
    } catch (ClusterException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return RabbitCluster.start(RabbitInstallation.find(), tuning, progress);
  }
}
