package org.mqproof.crash;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.cluster.ClusterProvider;

/**
 * A long run with faults, at whose end nothing is lost, and heap, threads, connections and disk of
 * client and nodes are as they were. An hour, or as long as {@code -Dmqproof.soak.minutes} says.
 * Needs Linux, and {@code jcmd} of a JDK.
 */
@Tag(Tags.SOAK)
public abstract class SoakTests extends CrashHarness {

  private final boolean cuts;

  /**
   * A system in one of its modes, whose nodes have networks of their own, so that they can be cut
   * off.
   *
   * @param system name of the adapter and of its cluster
   * @param mode settings of the mode; those of the cluster are added
   */
  protected SoakTests(String system, Map<String, String> mode) {
    this(system, Map.of(ClusterProvider.NETWORK_PROPERTY, "true"), mode);
  }

  /**
   * A system in one of its modes, on a cluster of a variant.
   *
   * @param system name of the adapter and of its cluster
   * @param variant system properties of the cluster's provider, and their values; without networks
   *     of their own nodes are killed and never cut off
   * @param mode settings of the mode; those of the cluster are added
   */
  protected SoakTests(String system, Map<String, String> variant, Map<String, String> mode) {
    super(system, variant, mode);
    cuts = variant.containsKey(ClusterProvider.NETWORK_PROPERTY);
  }

  /** It is no cell of the matrix. */
  @Override
  void keep(CellRun run) {}

  @Test
  @Timeout(value = 2, unit = TimeUnit.DAYS) // longer than anybody asks for
  @DisplayName("faults for an hour lose nothing, and nothing grows")
  void nothingGrowsAndNothingIsLost() throws Exception {
    run(new Soak(cuts), Seeds.ofThisRun().findFirst().orElseThrow());
  }
}
