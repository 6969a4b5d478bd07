package org.mqproof.cluster;

import java.util.List;

/**
 * What is between the nodes of a cluster, and between them and clients: it can be cut and slowed.
 * Thread-safe.
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

  /** Undoes every cut. Does nothing without one. */
  void heal();

  /** The nodes that no verb was used on since {@link #heal()}. */
  List<Integer> unharmed();
}
