package org.mqproof.cluster.sqs;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;

/**
 * Starts ElasticMQ, which speaks the protocol of Amazon SQS, as one node that keeps queues and
 * messages on disk and writes each before it confirms. SQS itself replicates and this does not: the
 * loss of the node loses no message, and nobody takes over.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one. With the system property {@value #STORAGE_PROPERTY} set to {@code memory} it keeps
 * nothing on disk, at about half of the CPU time: for tests of what a client does, not of what a
 * node keeps.
 */
public final class ElasticMqClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "1.7.1";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.elasticmq.version";

  /**
   * The system property that says where messages are: {@code disk}, the default, {@code memory}, or
   * {@code delayed}: on disk half a second after they were confirmed, as ElasticMQ itself has it by
   * default.
   */
  public static final String STORAGE_PROPERTY = "mqproof.elasticmq.storage";

  /** For {@link java.util.ServiceLoader}. */
  public ElasticMqClusterProvider() {}

  @Override
  public String system() {
    return "sqs";
  }

  /** Nothing can be missing: the node is asked over plain HTTP. */
  @Override
  public Optional<String> whyUnavailable() {
    return Optional.empty();
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    return ElasticMqCluster.start(System.getProperty(VERSION_PROPERTY, VERSION), tuning, progress);
  }
}
