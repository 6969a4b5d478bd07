package org.mqproof.cluster.artemis;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.Choice;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts Artemis as two nodes that replicate: one is active, the other has a copy of everything and
 * takes over. A lock manager decides who may be active, so that there are never two, and never one
 * with old data.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one. The journal is NIO and awaits the disk unless {@value #JOURNAL_PROPERTY} or {@value
 * #DATASYNC_PROPERTY} say otherwise.
 */
public final class ArtemisClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "2.56.0";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.artemis.version";

  /** The system property that asks for a journal type: {@code NIO} or {@code MAPPED}. */
  public static final String JOURNAL_PROPERTY = "mqproof.artemis.journal";

  /**
   * The system property that says whether a journal write is awaited on the disk: {@code true} or
   * {@code false}. Without it a confirm means the page caches of both nodes, which survive the
   * death of both processes but not a power loss of both machines.
   */
  public static final String DATASYNC_PROPERTY = "mqproof.artemis.datasync";

  private static final String CLIENT_CLASS =
      "org.apache.activemq.artemis.api.core.client.ActiveMQClient";

  /** For {@link java.util.ServiceLoader}. */
  public ArtemisClusterProvider() {}

  @Override
  public String system() {
    return "artemis";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return ClientClass.whyMissing(
        CLIENT_CLASS,
        "Artemis",
        "org.apache.artemis:artemis-core-client",
        "org.mqproof:mq-artemis");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return ArtemisCluster.start(
        System.getProperty(VERSION_PROPERTY, VERSION), journal(), tuning, progress);
  }

  /**
   * The journal that the system properties ask for.
   *
   * @throws ClusterException if they ask for something that there is not
   */
  static ArtemisNodes.Journal journal() {
    return new ArtemisNodes.Journal(
        Choice.of(JOURNAL_PROPERTY, "NIO", "MAPPED"),
        Boolean.parseBoolean(Choice.of(DATASYNC_PROPERTY, "true", "false")));
  }
}
