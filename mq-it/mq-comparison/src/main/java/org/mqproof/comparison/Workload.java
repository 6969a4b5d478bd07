package org.mqproof.comparison;

import java.util.Map;
import org.mqproof.cluster.Access;

/**
 * What both sides of a pair do. Immutable.
 *
 * @param name on the command line: lower case, no blanks
 * @param ours the adapter
 * @param peer what it is compared with, in a few words
 * @param theirs that
 * @param preparation what is done once, before the first pair
 * @param onCluster whether the sides need the cluster
 * @param oursBy how the adapter gets in to the cluster
 * @param theirsBy how the other side does
 */
public record Workload(
    String name,
    Side ours,
    String peer,
    Side theirs,
    Preparation preparation,
    boolean onCluster,
    Access oursBy,
    Access theirsBy) {

  /** What is done once for all runs, in the JVM that starts the sides. */
  @FunctionalInterface
  public interface Preparation {

    /**
     * Prepares, for example fills a queue.
     *
     * @param settings those of the cluster and of the command line
     * @return settings for the sides to see as well, for example the name of that queue
     * @throws Exception if it failed
     */
    Map<String, String> prepare(Map<String, String> settings) throws Exception;
  }

  /**
   * A workload on the cluster that needs no preparation, and no TLS.
   *
   * @param name on the command line: lower case, no blanks
   * @param ours the adapter
   * @param peer what it is compared with, in a few words
   * @param theirs that
   * @return the workload
   */
  public static Workload of(String name, Side ours, String peer, Side theirs) {
    return new Workload(
        name, ours, peer, theirs, settings -> Map.of(), true, Access.PLAIN, Access.PLAIN);
  }

  /**
   * The same, prepared.
   *
   * @param first what is done once
   * @return another workload
   */
  public Workload preparedBy(Preparation first) {
    return new Workload(name, ours, peer, theirs, first, onCluster, oursBy, theirsBy);
  }

  /**
   * The same for sides that bring their own server, so that none has to be started.
   *
   * @return another workload
   */
  public Workload withoutCluster() {
    return new Workload(name, ours, peer, theirs, preparation, false, oursBy, theirsBy);
  }

  /**
   * The same, with sides that get in otherwise.
   *
   * @param oursBy how the adapter does
   * @param theirsBy how the other side does
   * @return another workload
   */
  public Workload by(Access oursBy, Access theirsBy) {
    return new Workload(name, ours, peer, theirs, preparation, onCluster, oursBy, theirsBy);
  }

  /** Whether one side needs a cluster that has more than plain ports. */
  boolean needsSecurity() {
    return oursBy != Access.PLAIN || theirsBy != Access.PLAIN;
  }
}
