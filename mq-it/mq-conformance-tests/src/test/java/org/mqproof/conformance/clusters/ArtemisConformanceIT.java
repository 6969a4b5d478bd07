package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** A replicating pair. */
class ArtemisConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("artemis");

  @Nested
  @DisplayName("Artemis, send=transacted")
  class Transacted extends ClusterConformance {
    Transacted() {
      super(CLUSTER, Map.of("send", "transacted"));
    }
  }

  @Nested
  @DisplayName("Artemis, send=async")
  class Async extends ClusterConformance {
    Async() {
      super(CLUSTER, Map.of("send", "async"));
    }
  }

  @Nested
  @DisplayName("Artemis, send=per-message")
  class PerMessage extends ClusterConformance {
    PerMessage() {
      super(CLUSTER, Map.of("send", "per-message"));
    }
  }
}
