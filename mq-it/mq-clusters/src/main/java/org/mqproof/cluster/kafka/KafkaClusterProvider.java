package org.mqproof.cluster.kafka;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts a Kafka cluster of three nodes, each broker and controller at once (KRaft), with three
 * replicas of everything, two of which must be in sync for a confirm.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one.
 */
public final class KafkaClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "4.4.0";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.kafka.version";

  private static final String CLIENT_CLASS = "org.apache.kafka.clients.admin.Admin";

  /** For {@link java.util.ServiceLoader}. */
  public KafkaClusterProvider() {}

  @Override
  public String system() {
    return "kafka";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return ClientClass.whyMissing(
        CLIENT_CLASS, "Kafka", "org.apache.kafka:kafka-clients", "org.mqproof:mq-kafka");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return KafkaCluster.start(System.getProperty(VERSION_PROPERTY, VERSION), tuning, progress);
  }
}
