package org.mqproof.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A running cluster of one system, and the faults that can be done to it. Its nodes are numbered
 * from 1 to {@link #nodes()}.
 *
 * <p>Its ports stay the same until it is closed, so clients find a node again after a restart. When
 * it is closed, or the JVM that owns it ends in whatever way, SIGKILL included, its processes are
 * killed and its directory is deleted, as are its containers and their networks.
 *
 * <p>Thread-safe. Every method is bounded; {@link #close()} ends the waits of the others.
 */
public interface Cluster extends AutoCloseable {

  /**
   * The system's name, the same as its adapter's.
   *
   * @return lower case, for example {@code "kafka"}
   */
  String system();

  /**
   * The version of the broker that runs.
   *
   * @return for example {@code "4.4.0"}
   */
  String version();

  /**
   * What a client needs to connect.
   *
   * @return settings for the {@code connect} of this system's {@code MqProvider}
   */
  Map<String, String> settings();

  /**
   * What a client needs to connect in one of several ways.
   *
   * @param access how it gets in
   * @return settings for the {@code connect} of this system's {@code MqProvider}
   * @throws UnsupportedOperationException if this cluster has no such way; one with {@code
   *     -Dmqproof.security=tls} may
   */
  default Map<String, String> settings(Access access) {
    if (access != Access.PLAIN) {
      throw new UnsupportedOperationException(
          "this cluster does not encrypt: start it with -D%s=%s"
              .formatted(ClusterProvider.SECURITY_PROPERTY, ClusterProvider.TLS));
    }
    return settings();
  }

  /**
   * Where the nodes' configuration is until the cluster is closed, and their logs and data, unless
   * the nodes are containers, which keep both themselves, or have disks of their own, see {@link
   * #disk}.
   *
   * @return a directory with one subdirectory {@code node-N} per node
   */
  Path directory();

  /**
   * How many nodes there are, dead ones included.
   *
   * @return at least 1
   */
  int nodes();

  /**
   * The process of a node.
   *
   * @param node 1 to {@link #nodes()}
   * @return the process last started for it, which may be dead; of a container the first one in it,
   *     as this machine sees it
   */
  ProcessHandle process(int node);

  /**
   * The node whose death hurts a queue most: the one that leads most of its parts.
   *
   * @param queue a queue that exists
   * @return 1 to {@link #nodes()}; the cluster's view, which lags behind a fault
   * @throws ClusterException if no node could say in 20 s
   */
  int leader(String queue);

  /**
   * Whether another node leads a queue than this one.
   *
   * @param queue a queue that exists
   * @param node 1 to {@link #nodes()}
   * @return false also if no node could say, as while they elect one or while one hangs
   */
  default boolean anotherLeads(String queue, int node) {
    try {
      return leader(queue) != node;
    } catch (ClusterException e) {
      return false;
    }
  }

  /**
   * Kills a node with SIGKILL and waits until its process is gone.
   *
   * @param node 1 to {@link #nodes()}; it may be paused
   * @throws IllegalStateException if it is dead already: the fault would not take effect
   */
  void kill(int node);

  /** Kills every node that is not dead yet: all get their SIGKILL before any death is awaited. */
  void killAll();

  /**
   * Stops a node with SIGSTOP, a container by freezing all that is in it: its connections stay open
   * and nothing answers.
   *
   * @param node 1 to {@link #nodes()}
   * @throws IllegalStateException if it is dead or paused already
   */
  void pause(int node);

  /**
   * Lets a paused node go on, with SIGCONT. Returns at once; {@link #heal()} also waits.
   *
   * @param node 1 to {@link #nodes()}
   * @throws IllegalStateException if it is not paused
   */
  void resume(int node);

  /**
   * Cuts a node off from the other nodes, in both directions and without telling any of them.
   * Clients still reach all of them. Returns when nothing gets through any more.
   *
   * @param node 1 to {@link #nodes()}
   * @throws IllegalStateException if it is isolated already
   * @throws UnsupportedOperationException if the nodes have no networks of their own: see {@link
   *     ClusterProvider#NETWORK_PROPERTY}
   */
  default void isolate(int node) {
    throw new UnsupportedOperationException("no faults can be done to the network of " + this);
  }

  /**
   * Cuts a node off from every client, in both directions and without telling either. The other
   * nodes still reach it. Returns when nothing gets through any more.
   *
   * @param node 1 to {@link #nodes()}
   * @throws IllegalStateException if it is cut off already
   * @throws UnsupportedOperationException as {@link #isolate} does
   */
  default void cut(int node) {
    throw new UnsupportedOperationException("no faults can be done to the network of " + this);
  }

  /**
   * Cuts every node off from every client, as {@link #cut} does with one.
   *
   * @throws IllegalStateException if all are cut off already
   * @throws UnsupportedOperationException as {@link #isolate} does
   */
  default void cutAll() {
    throw new UnsupportedOperationException("no faults can be done to the network of " + this);
  }

  /**
   * Makes the network slow: each node, and the clients of this machine together, can send so much
   * and no more. What is more waits for up to a second, and then packets are lost, which TCP sends
   * again. Returns when this was measured.
   *
   * @param bytesPerSecond 10,000 to 100,000,000
   * @throws IllegalStateException if it is slow already
   * @throws UnsupportedOperationException as {@link #isolate} does
   */
  default void slow(long bytesPerSecond) {
    throw new UnsupportedOperationException("no faults can be done to the network of " + this);
  }

  /**
   * Makes every way longer, between nodes and to the clients of this machine: each packet is held
   * for so long, and none is lost or overtakes another. Unlike a proxy this does to TCP what
   * distance does: its windows and buffers limit what is under way. A round trip takes twice as
   * long, and some 0.1 ms more. Returns when this was measured.
   *
   * @param eachWay 0.1 to 250 ms
   * @throws IllegalArgumentException if it is not
   * @throws IllegalStateException if packets are held already
   * @throws UnsupportedOperationException as {@link #isolate} does
   */
  default void delay(Duration eachWay) {
    throw new UnsupportedOperationException("no faults can be done to the network of " + this);
  }

  /**
   * Cuts the power of a node: it is killed with SIGKILL, and what it wrote is lost as far as it is
   * not on its disk yet. Returns when the node is dead and its disk is there again. Nodes that
   * share a disk lose their power together.
   *
   * @param node 1 to {@link #nodes()}; it may be paused
   * @throws IllegalStateException if it is dead already
   * @throws ClusterException if the disk could not be shut down, or is still busy after 10 s: then
   *     nothing that comes after says anything of this cluster
   * @throws UnsupportedOperationException if the nodes have no disks of their own: see {@link
   *     ClusterProvider#POWER_PROPERTY}
   */
  default void cutPower(int node) {
    throw new UnsupportedOperationException("the power of " + this + " cannot be cut");
  }

  /**
   * Cuts the power of every node, also of those that are dead: first all are killed, then all disks
   * are shut down at the same time. To be followed by {@link #heal()}, which starts all nodes.
   *
   * @throws ClusterException as {@link #cutPower} does
   * @throws UnsupportedOperationException as {@link #cutPower} does
   */
  default void cutPowerAll() {
    throw new UnsupportedOperationException("the power of " + this + " cannot be cut");
  }

  /**
   * Where this process sees the disk with a node's data, whether the node lives or not.
   *
   * @param node 1 to {@link #nodes()}
   * @return a directory, below {@code /proc}; the same for nodes that share a disk
   * @throws UnsupportedOperationException as {@link #cutPower} does
   */
  default Path disk(int node) {
    throw new UnsupportedOperationException("the power of " + this + " cannot be cut");
  }

  /**
   * Starts a dead node on its old data and ports, and waits until the whole cluster is in sync.
   * Needs the other nodes: after the loss of several, use {@link #heal()}.
   *
   * @param node 1 to {@link #nodes()}
   * @throws IllegalStateException if it is not dead
   * @throws ClusterException if the cluster is not in sync within 120 s (RabbitMQ: 300 s), or the
   *     node died again
   */
  void restart(int node);

  /**
   * Undoes every fault: mends the network, resumes what is paused, starts what is dead, and waits
   * until the whole cluster is in sync. Without a fault it only checks.
   *
   * @throws ClusterException if the cluster is not in sync within 120 s (RabbitMQ: 300 s), or a
   *     node died again
   */
  void heal();

  /** Kills every node and deletes the directory. Idempotent. */
  @Override
  void close();
}
