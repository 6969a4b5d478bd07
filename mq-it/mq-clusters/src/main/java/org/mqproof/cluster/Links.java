package org.mqproof.cluster;

import java.time.Duration;
import java.util.List;

/**
 * What is between the nodes of a cluster, and between them and clients: it can be cut, slowed and
 * made longer. Thread-safe.
 */
interface Links {

  /**
   * Cuts a node off from the other nodes, and sees that it is.
   *
   * @throws IllegalStateException if there is nothing to cut
   */
  void isolate(int node);

  /**
   * Cuts nodes off from the clients, and sees that they are.
   *
   * @throws IllegalStateException if there is nothing to cut
   */
  void cut(List<Integer> fromClients);

  /**
   * Limits what each node, and the clients together, can send, and sees that it does.
   *
   * @throws IllegalStateException if that is limited already
   */
  void slow(long bytesPerSecond);

  /**
   * Holds every packet for so long, and sees that it does.
   *
   * @throws IllegalStateException if packets are held already
   */
  void delay(Duration eachWay);

  /** Undoes every cut. Does nothing without one. */
  void heal();

  /** The nodes that no verb was used on since {@link #heal()}. */
  List<Integer> unharmed();
}
