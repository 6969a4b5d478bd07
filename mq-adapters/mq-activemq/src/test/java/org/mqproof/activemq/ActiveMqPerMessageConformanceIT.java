package org.mqproof.activemq;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

@DisplayName("ActiveMQ, send=per-message")
class ActiveMqPerMessageConformanceIT extends ActiveMqConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("activemq");

  ActiveMqPerMessageConformanceIT() {
    super(CLUSTER, "per-message");
  }
}
