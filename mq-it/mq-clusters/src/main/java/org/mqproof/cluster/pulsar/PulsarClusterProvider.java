package org.mqproof.cluster.pulsar;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.Choice;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts a Pulsar cluster of three nodes, each a broker, a bookie and a member of the ZooKeeper
 * ensemble in one JVM. A message is on two of three bookies, and on their disks, before it is
 * confirmed, unless its namespace says otherwise.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one. The bookies await their disks unless {@value #JOURNAL_SYNC_PROPERTY} says otherwise.
 */
public final class PulsarClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "4.2.4";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.pulsar.version";

  /**
   * The system property that says whether a bookie awaits its disk before it confirms, as its
   * {@code journalSyncData} does: {@code true} or {@code false}.
   */
  public static final String JOURNAL_SYNC_PROPERTY = "mqproof.pulsar.journal.sync";

  private static final String CLIENT_CLASS = "org.apache.pulsar.client.impl.PulsarClientImpl";

  /** For {@link java.util.ServiceLoader}. */
  public PulsarClusterProvider() {}

  @Override
  public String system() {
    return "pulsar";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return ClientClass.whyMissing(
        CLIENT_CLASS, "Pulsar", "org.apache.pulsar:pulsar-client", "org.mqproof:mq-pulsar");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return PulsarCluster.start(System.getProperty(VERSION_PROPERTY, VERSION), tuning, progress);
  }

  /** Whether bookies await their disks. */
  static String journalSync() {
    return Choice.of(JOURNAL_SYNC_PROPERTY, "true", "false");
  }
}
