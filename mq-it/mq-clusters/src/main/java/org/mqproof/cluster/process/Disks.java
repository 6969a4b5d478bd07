package org.mqproof.cluster.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.mqproof.cluster.ClusterException;

/** A disk for the data of each node, or for what nodes share, whose power can be cut. */
public interface Disks extends AutoCloseable {

  /**
   * Makes an empty disk.
   *
   * @param data where it is mounted: an empty directory
   * @param nodes the nodes that see it, each of which has no disk yet
   */
  void make(Path data, int... nodes);

  /**
   * Sees that each node has a disk.
   *
   * @param nodes how many there are
   * @throws ClusterException if one has none: this kind of cluster makes none
   */
  void requireOnePerNode(int nodes);

  /**
   * Makes a command of a node run where the node's disk is mounted, if it has one.
   *
   * @param node from 1
   * @param command is changed
   */
  void enter(int node, ProcessBuilder command);

  /**
   * Where this process sees a node's disk.
   *
   * @param node from 1
   * @return a directory, as long as the cluster is open
   */
  Path seenFromHere(int node);

  /**
   * Kills nodes, and all nodes that share a disk with one of them, and cuts the power of their
   * disks.
   *
   * @param nodes numbers from 1
   * @throws ClusterException if a disk is not shut down, or stays busy
   */
  void cut(List<Integer> nodes);

  /**
   * Waits until nothing of them is left. Called when the processes of nodes and services are dead,
   * and before the directory is deleted; maybe while another thread cuts their power.
   *
   * @throws IOException if something is left after 30 s
   */
  @Override
  void close() throws IOException;
}
