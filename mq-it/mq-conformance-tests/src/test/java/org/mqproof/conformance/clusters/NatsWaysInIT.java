package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** Three nodes with TLS, at the ports without it. */
class NatsWaysInIT extends WaysIn {

  @RegisterExtension static final TestCluster CLUSTER = Secured.NATS;

  NatsWaysInIT() {
    super(CLUSTER, false);
  }

  @Override
  String wrongPasswordSays() {
    return "Authorization Violation";
  }
}
