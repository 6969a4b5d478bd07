package org.mqproof.comparison;

import java.util.Map;

/** One side of a pair: a client that moves messages for a while. Runs in a JVM of its own. */
@FunctionalInterface
public interface Side {

  /**
   * Runs once.
   *
   * @param settings those of the cluster, of the workload's preparation and of the command line
   * @return what it reached
   * @throws Exception if it failed: a side that failed has no rate
   */
  Rate run(Map<String, String> settings) throws Exception;
}
