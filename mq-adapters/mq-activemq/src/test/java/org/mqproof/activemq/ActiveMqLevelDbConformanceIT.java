package org.mqproof.activemq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.ActiveMqClusterProvider;
import org.mqproof.cluster.TestCluster;

/** ActiveMQ 5 with three copies: the store that ActiveMQ 6 has no more. */
@Tag("full")
@DisplayName("ActiveMQ 5, replicated LevelDB, send=transacted")
class ActiveMqLevelDbConformanceIT extends ActiveMqConformance {

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(
          "activemq",
          Map.of(ActiveMqClusterProvider.STORE_PROPERTY, ActiveMqClusterProvider.LEVELDB));

  ActiveMqLevelDbConformanceIT() {
    super(CLUSTER, "transacted");
  }
}
