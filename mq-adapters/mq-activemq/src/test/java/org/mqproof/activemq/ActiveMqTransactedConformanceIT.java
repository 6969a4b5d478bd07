package org.mqproof.activemq;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

@DisplayName("ActiveMQ, send=transacted")
class ActiveMqTransactedConformanceIT extends ActiveMqConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("activemq");

  ActiveMqTransactedConformanceIT() {
    super(CLUSTER, "transacted");
  }
}
