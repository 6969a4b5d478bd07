package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;

/** An ElasticMQ that keeps messages on disk. */
class SqsConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("sqs");

  /** The SDKs try again until the bound of a call is over. */
  private static final Map<String, String> IMPATIENT =
      Map.of("call.bound", "8s", "connect.bound", "2s");

  @Nested
  @DisplayName("SQS (ElasticMQ), version 2 of the AWS SDK")
  class V2 extends ClusterConformance {
    V2() {
      super(CLUSTER, Map.of("sdk", "v2", "claim.period", "20s"), IMPATIENT);
    }
  }

  @Nested
  @DisplayName("SQS (ElasticMQ), version 1 of the AWS SDK")
  @Variant(of = V2.class)
  class V1 extends ClusterConformance {
    V1() {
      super(CLUSTER, Map.of("sdk", "v1", "claim.period", "10s"), IMPATIENT);
    }
  }
}
