package org.mqproof.cluster.rocketmq;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.Choice;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts three RocketMQ brokers of one name in controller mode, each with a name server and a
 * controller in its JVM. A confirm waits for every replica in sync, of which two are the least.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one; {@value #FLUSH_PROPERTY} says whether it also waits for the leader's disk.
 */
public final class RocketMqClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "5.5.0";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.rocketmq.version";

  /**
   * The system property with the brokers' flush: {@value #SYNC}, the default, or {@value #ASYNC}.
   */
  public static final String FLUSH_PROPERTY = "mqproof.rocketmq.flush";

  /** {@code flushDiskType=SYNC_FLUSH}. */
  public static final String SYNC = "sync";

  /** {@code flushDiskType=ASYNC_FLUSH}. */
  public static final String ASYNC = "async";

  private static final String CLIENT_CLASS =
      "org.apache.rocketmq.client.impl.mqclient.MQClientAPIExt";

  /** For {@link java.util.ServiceLoader}. */
  public RocketMqClusterProvider() {}

  @Override
  public String system() {
    return "rocketmq";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return ClientClass.whyMissing(
        CLIENT_CLASS, "RocketMQ", "org.apache.rocketmq:rocketmq-client", "org.mqproof:mq-rocketmq");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return RocketMqCluster.start(
        System.getProperty(VERSION_PROPERTY, VERSION), isFlushSync(), tuning, progress);
  }

  static boolean isFlushSync() {
    return Choice.of(FLUSH_PROPERTY, SYNC, ASYNC).equals(SYNC);
  }
}
