package org.mqproof.cluster.activemq;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.Choice;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts ActiveMQ Classic as two nodes that share one KahaDB store: one is active, the other waits
 * for the lock on the store. There is one copy of each message, so the loss of a node loses
 * nothing, and the loss of the store loses all. The version is {@value #VERSION}.
 *
 * <p>Or, if the system property {@value #STORE_PROPERTY} asks for {@value #LEVELDB}, as three nodes
 * that replicate: the LevelDB store, in which a message is confirmed when two of three nodes have
 * it, and a ZooKeeper of its own for the election of the active one. ActiveMQ 5.17 has it no more;
 * the version is {@value #LEVELDB_VERSION}, to which newer clients talk as well.
 *
 * <p>The system property {@value #VERSION_PROPERTY} names another version of either, {@value
 * #SOCKET_BUFFER_PROPERTY} another size of the brokers' socket buffers, and {@value
 * #DISK_SYNC_PROPERTY} when KahaDB awaits the disk.
 */
public final class ActiveMqClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "6.3.1";

  /** The version with the replicated LevelDB store: the last that has it. */
  public static final String LEVELDB_VERSION = "5.16.7";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.activemq.version";

  /** The system property that asks for a store: {@code kahadb} or {@code leveldb}. */
  public static final String STORE_PROPERTY = "mqproof.activemq.store";

  /** The value of {@value #STORE_PROPERTY} for a store that replicates. */
  public static final String LEVELDB = "leveldb";

  /**
   * The system property that gives the nodes' sockets other buffers than ActiveMQ's 64 KiB, in
   * bytes: its {@code socketBufferSize}. Clients have a setting of their own.
   */
  public static final String SOCKET_BUFFER_PROPERTY = "mqproof.activemq.socket.buffer.bytes";

  /**
   * The system property that says when KahaDB's journal awaits the disk, as its {@code
   * journalDiskSyncStrategy} does: {@code always}, if not told, {@code periodic} or {@code never}.
   * But for {@code always} a confirm means the page cache of the one machine that has the store,
   * which survives the death of every process but not a power loss.
   */
  public static final String DISK_SYNC_PROPERTY = "mqproof.activemq.disk.sync";

  private static final String KAHADB = "kahadb";

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
    ClusterException.throwIf(whyUnavailable());
    return Choice.of(STORE_PROPERTY, KAHADB, LEVELDB).equals(KAHADB)
        ? ActiveMqCluster.start(System.getProperty(VERSION_PROPERTY, VERSION), tuning, progress)
        : LevelDbCluster.start(
            System.getProperty(VERSION_PROPERTY, LEVELDB_VERSION), tuning, progress);
  }

  /** When the journal awaits the disk. */
  static String diskSync() {
    return Choice.of(DISK_SYNC_PROPERTY, "always", "periodic", "never");
  }
}
