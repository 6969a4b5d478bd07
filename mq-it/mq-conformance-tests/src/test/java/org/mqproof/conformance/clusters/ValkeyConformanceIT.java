package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.valkey.ValkeyClusterProvider;

/** A primary and two replicas, of which one confirms. */
class ValkeyConformanceIT {

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(
          "valkey",
          Map.of(
              ClusterProvider.SECURITY_PROPERTY,
              ClusterProvider.TLS,
              ValkeyClusterProvider.FSYNC_PROPERTY,
              ValkeyClusterProvider.ALWAYS));

  @Nested
  @DisplayName("Valkey, a replica's memory confirms")
  class Wait extends ClusterConformance {
    Wait() {
      super(CLUSTER, Map.of("claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }
  }

  @Nested
  @DisplayName("Valkey, the disks of the primary and of a replica confirm")
  @Variant(of = Wait.class)
  @Tag("full") // the same commands but for the one that waits
  class WaitAof extends ClusterConformance {
    WaitAof() {
      super(CLUSTER, Map.of("confirm", "waitaof", "claim.period", "10s"));
    }
  }

  @Nested
  @DisplayName("Valkey, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    String wrongPasswordSays() {
      return "WRONGPASS";
    }

    @Override
    String missingRightSays() {
      return "NOPERM";
    }

    @Override
    boolean connectsAgain() {
      return false;
    }
  }
}
