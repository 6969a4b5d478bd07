package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** A pair that replicates, with TLS. */
class ArtemisWaysInIT extends WaysIn {

  @RegisterExtension static final TestCluster CLUSTER = Secured.ARTEMIS;

  ArtemisWaysInIT() {
    super(CLUSTER, true);
  }

  @Override
  String wrongPasswordSays() {
    return "Unable to validate user";
  }
}
