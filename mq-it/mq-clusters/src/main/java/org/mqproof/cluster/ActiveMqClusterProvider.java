package org.mqproof.cluster;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Starts ActiveMQ Classic as two nodes that share one KahaDB store: one is active, the other waits
 * for the lock on the store. There is one copy of each message, so the loss of a node loses
 * nothing, and the loss of the store loses all.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one.
 */
public final class ActiveMqClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "6.3.1";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.activemq.version";

  private static final String CLIENT_CLASS = "org.apache.activemq.ActiveMQConnectionFactory";

  /** For {@link java.util.ServiceLoader}. */
  public ActiveMqClusterProvider() {}

  @Override
  public String system() {
    return "activemq";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return ClientClass.whyMissing(
        CLIENT_CLASS, "ActiveMQ", "org.apache.activemq:activemq-client", "org.mqproof:mq-activemq");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    whyUnavailable()
        .ifPresent(
            reason -> {
              throw new ClusterException(reason);
            });
    return ActiveMqCluster.start(System.getProperty(VERSION_PROPERTY, VERSION), tuning, progress);
  }
}
