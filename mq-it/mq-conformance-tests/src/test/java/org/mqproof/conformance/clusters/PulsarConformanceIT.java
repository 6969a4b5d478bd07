package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** Three nodes. */
@Tag("full")
class PulsarConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("pulsar");

  /** The client asks a silent broker twice whether it lives. */
  private static final Map<String, String> IMPATIENT =
      Map.of("call.bound", "8s", "connect.bound", "2s", "keep.alive", "2s");

  @Nested
  @DisplayName("Pulsar, two of three bookies")
  class Default extends ClusterConformance {
    Default() {
      super(CLUSTER, Map.of(), IMPATIENT);
    }
  }
}
