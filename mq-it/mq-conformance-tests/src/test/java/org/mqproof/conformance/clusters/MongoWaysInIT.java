package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** Three nodes with TLS, at the ports without it. */
class MongoWaysInIT extends WaysIn {

  @RegisterExtension static final TestCluster CLUSTER = Secured.MONGODB;

  MongoWaysInIT() {
    super(CLUSTER, false);
  }

  @Override
  String wrongPasswordSays() {
    return "Authentication failed";
  }
}
