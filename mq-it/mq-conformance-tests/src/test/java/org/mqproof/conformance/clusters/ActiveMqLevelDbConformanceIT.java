package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.activemq.ActiveMqClusterProvider;

/** ActiveMQ 5 with three copies: the store that ActiveMQ 6 has no more. */
@Tag("full")
class ActiveMqLevelDbConformanceIT {

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(
          "activemq",
          Map.of(ActiveMqClusterProvider.STORE_PROPERTY, ActiveMqClusterProvider.LEVELDB));

  @Nested
  @DisplayName("ActiveMQ 5, replicated LevelDB, send=transacted")
  class Transacted extends ClusterConformance {
    Transacted() {
      super(CLUSTER, Map.of("send", "transacted"));
    }
  }
}
