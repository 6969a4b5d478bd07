package org.mqproof.conformance.clusters;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** Three brokers, of which all that are in sync confirm, two at least. */
@Tag("full")
class RocketMqConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("rocketmq");

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  /** The brokers take some seconds to notice that a claim was released. */
  @Nested
  @DisplayName("RocketMQ, the leader's disk confirms too")
  class Sync extends ClusterConformance {
    Sync() {
      super(CLUSTER, Map.of("claim.period", "20s"));
    }
  }
}
