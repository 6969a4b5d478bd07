package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** Three nodes. */
class KafkaConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.KAFKA;

  @Nested
  @DisplayName("Kafka, acks=all, in a consumer group")
  class AcksAll extends ClusterConformance {
    AcksAll() {
      super(CLUSTER, Map.of("acks", "all"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }
  }

  @Nested
  @DisplayName("Kafka, acks=1, order kept, in a consumer group")
  @Variant(of = AcksAll.class)
  class AcksOne extends ClusterConformance {
    AcksOne() {
      super(CLUSTER, Map.of("acks", "1", "order", "per-sender"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }
  }

  @Nested
  @DisplayName("Kafka, acks=all, in a share group")
  class Share extends ClusterConformance {
    Share() {
      super(CLUSTER, Map.of("receive", "share", "partitions", "1", "claim.period", "10s"));
    }

    /** The default of {@code share.delivery.count.limit}; Kafka has no share group without one. */
    @Override
    protected int mostDeliveries() {
      return 10;
    }
  }

  @Nested
  @DisplayName("Kafka, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, true);
    }

    @Override
    String wrongPasswordSays() {
      return "invalid credentials";
    }
  }
}
