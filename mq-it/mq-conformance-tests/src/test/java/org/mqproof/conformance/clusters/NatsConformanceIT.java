package org.mqproof.conformance.clusters;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** Three nodes with JetStream. */
class NatsConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.NATS;

  @Nested
  @DisplayName("NATS, three replicas")
  class ThreeReplicas extends ClusterConformance {
    ThreeReplicas() {
      super(CLUSTER, Map.of("claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }
  }

  @Nested
  @Tag("full")
  @DisplayName("NATS, one replica")
  class OneReplica extends ClusterConformance {
    OneReplica() {
      super(CLUSTER, Map.of("replicas", "1", "claim.period", "10s"));
    }
  }

  @Nested
  @DisplayName("NATS, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    String wrongPasswordSays() {
      return "Authorization Violation";
    }

    @Override
    String missingRightSays() {
      return "Permissions Violation for Publish to \"";
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, queue, body) -> {
            Options own =
                new Options.Builder()
                    .servers(setting(settings, "servers").split(","))
                    .userInfo(setting(settings, "username"), setting(settings, "password"))
                    .sslContext(trusting(setting(settings, "tls.ca.file")))
                    .build();
            Connection connection = Nats.connect(own);
            try {
              var unused = connection.jetStream().publish(queue, body);
            } finally {
              connection.close();
            }
          });
    }

    @Override
    boolean connectsAgain() {
      return false;
    }
  }
}
