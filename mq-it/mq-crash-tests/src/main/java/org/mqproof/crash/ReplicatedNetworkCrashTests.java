package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

/** Nodes that keep their copies in step over the network. */
public abstract class ReplicatedNetworkCrashTests extends NetworkCrashTests {

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param mode settings of the mode; those of the cluster are added
   */
  protected ReplicatedNetworkCrashTests(String system, Map<String, String> mode) {
    super(system, mode);
  }

  @Seeds.Each
  @DisplayName("ALO-02 ALO-20 a leader cut off from the other nodes loses nothing")
  void alo02_alo20_anIsolatedLeaderLosesNothing(long seed) throws Exception {
    run(new LeaderIsolated(), seed);
  }
}
