package org.mqproof.artemis;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

@DisplayName("Artemis, send=transacted")
class ArtemisTransactedConformanceIT extends ArtemisConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("artemis");

  ArtemisTransactedConformanceIT() {
    super(CLUSTER, "transacted");
  }
}
