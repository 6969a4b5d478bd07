package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** A replica set of three nodes. */
class MongoConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.MONGODB;

  @Nested
  @DisplayName("MongoDB, write concern majority")
  class Majority extends ClusterConformance {
    Majority() {
      super(CLUSTER, Map.of("claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }
  }

  @Nested
  @DisplayName("MongoDB, write concern w1")
  @Variant(of = Majority.class)
  @Tag("full") // the same commands: only what a crash leaves differs
  class W1 extends ClusterConformance {
    W1() {
      super(CLUSTER, Map.of("write.concern", "w1", "claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }
  }

  @Nested
  @Tag("full") // one request for each message: some four minutes
  @DisplayName("MongoDB, write concern majority, claims one by one")
  @Variant(of = Majority.class)
  class ClaimOne extends ClusterConformance {
    ClaimOne() {
      super(CLUSTER, Map.of("claim", "one", "claim.period", "10s"));
    }
  }

  @Nested
  @DisplayName("MongoDB, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    String wrongPasswordSays() {
      return "Authentication failed";
    }

    @Override
    boolean connectsAgain() {
      return false;
    }
  }
}
