package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** Three nodes with TLS. */
class KafkaWaysInIT extends WaysIn {

  @RegisterExtension static final TestCluster CLUSTER = Secured.KAFKA;

  KafkaWaysInIT() {
    super(CLUSTER, true);
  }

  @Override
  String wrongPasswordSays() {
    return "invalid credentials";
  }
}
