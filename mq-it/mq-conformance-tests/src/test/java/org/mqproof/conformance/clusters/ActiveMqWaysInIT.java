package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** A pair with one store, with TLS. */
class ActiveMqWaysInIT extends WaysIn {

  @RegisterExtension static final TestCluster CLUSTER = Secured.ACTIVEMQ;

  ActiveMqWaysInIT() {
    super(CLUSTER, true);
  }

  @Override
  String wrongPasswordSays() {
    return "password is invalid";
  }
}
