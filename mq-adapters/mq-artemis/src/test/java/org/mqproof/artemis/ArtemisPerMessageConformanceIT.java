package org.mqproof.artemis;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

@DisplayName("Artemis, send=per-message")
class ArtemisPerMessageConformanceIT extends ArtemisConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("artemis");

  ArtemisPerMessageConformanceIT() {
    super(CLUSTER, "per-message");
  }
}
