package org.mqproof.cluster.process;

import java.time.Duration;
import java.util.List;

/**
 * What is between the nodes of a cluster, and between them and clients: it can be cut, slowed and
 * made longer. Thread-safe.
 */
public interface Links extends AutoCloseable {

  /**
   * The address at which clients reach a node.
   *
   * @param node from 1
   * @return an IP address
   */
  default String host(int node) {
    return ClusterHome.LOOPBACK;
  }

  /**
   * Makes a command of a node run at the node's end of the links.
   *
   * @param node from 1
   * @param command is changed
   */
  default void enter(int node, ProcessBuilder command) {}

  /**
   * Cuts a node off from the other nodes, and sees that it is.
   *
   * @param node from 1
   * @throws IllegalStateException if there is nothing to cut
   */
  void isolate(int node);

  /**
   * Cuts nodes off from the clients, and sees that they are.
   *
   * @param fromClients the nodes
   * @throws IllegalStateException if there is nothing to cut
   */
  void cut(List<Integer> fromClients);

  /**
   * Limits what each node, and the clients together, can send, and sees that it does.
   *
   * @param bytesPerSecond the most
   * @throws IllegalStateException if that is limited already
   */
  void slow(long bytesPerSecond);

  /**
   * Holds every packet for so long, and sees that it does.
   *
   * @param eachWay how long
   * @throws IllegalStateException if packets are held already
   */
  void delay(Duration eachWay);

  /** Undoes every fault. Does nothing without one. */
  void heal();

  /**
   * The nodes that no cut was made at since {@link #heal()}.
   *
   * @return numbers from 1
   */
  List<Integer> unharmed();

  /**
   * Waits until nothing of it is left. Called when the processes of nodes and services are dead,
   * and before the directory is deleted; maybe while another thread changes it.
   */
  @Override
  void close();
}
