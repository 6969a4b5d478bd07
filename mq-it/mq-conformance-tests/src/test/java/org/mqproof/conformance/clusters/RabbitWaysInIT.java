package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** Three nodes with TLS. */
class RabbitWaysInIT extends WaysIn {

  @RegisterExtension static final TestCluster CLUSTER = Secured.RABBITMQ;

  RabbitWaysInIT() {
    super(CLUSTER, false);
  }

  @Override
  String wrongPasswordSays() {
    return "Login was refused";
  }
}
