package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** A pair with one store. */
class ActiveMqConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.ACTIVEMQ;

  @Nested
  @DisplayName("ActiveMQ, send=transacted")
  class Transacted extends ClusterConformance {
    Transacted() {
      super(CLUSTER, Map.of("send", "transacted"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }
  }

  @Nested
  @DisplayName("ActiveMQ, send=async")
  @Variant(of = Transacted.class)
  class Async extends ClusterConformance {
    Async() {
      super(CLUSTER, Map.of("send", "async"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }
  }

  @Nested
  @DisplayName("ActiveMQ, send=per-message")
  @Variant(of = Transacted.class)
  class PerMessage extends ClusterConformance {
    PerMessage() {
      super(CLUSTER, Map.of("send", "per-message"));
    }
  }

  @Nested
  @DisplayName("ActiveMQ, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, true);
    }

    @Override
    String wrongPasswordSays() {
      return "password is invalid";
    }

    @Override
    String missingRightSays() {
      return "is not authorized to ";
    }

    @Override
    String rightToCreate() {
      return "is not authorized to create";
    }
  }
}
