package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.ClusterProvider;

/**
 * The cells of the fault matrix that are faults of the network. Skipped where nodes cannot have
 * networks of their own.
 */
@Tag(Tags.FULL)
abstract class NetworkCrashTests extends CrashHarness {

  NetworkCrashTests(String system, Map<String, String> mode) {
    super(system, Map.of(ClusterProvider.NETWORK_PROPERTY, "true"), mode);
  }

  /** The same system in the same mode, wherever its nodes listen. */
  @Override
  String column() {
    return system;
  }

  @Seeds.Each
  @DisplayName("ALO-18 ALO-20 clients that were cut off lose nothing and work goes on")
  void alo18_alo20_clientsThatWereCutOffLoseNothing(long seed) throws Exception {
    run(new ClientsCutOff(), seed);
  }

  @Seeds.Each
  @DisplayName("ALO-20 a slow network loses nothing and work goes on")
  void alo20_aSlowNetworkLosesNothing(long seed) throws Exception {
    run(new SlowNetwork(), seed);
  }
}
