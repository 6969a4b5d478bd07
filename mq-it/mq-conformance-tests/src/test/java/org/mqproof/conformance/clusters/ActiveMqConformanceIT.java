package org.mqproof.conformance.clusters;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import org.apache.activemq.ActiveMQSslConnectionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** A pair with one store. */
class ActiveMqConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.ACTIVEMQ;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

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
  @DisplayName("ActiveMQ, releases")
  class Released extends ReleasedHere {
    Released() {
      super(CLUSTER);
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

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            ActiveMQSslConnectionFactory factory =
                new ActiveMQSslConnectionFactory(
                    "failover:(ssl://%s)"
                        .formatted(setting(settings, "addresses").replace(",", ",ssl://")));
            factory.setKeyAndTrustManagers(null, trustManagers(settings), new SecureRandom());
            try (Connection connection =
                    factory.createConnection(
                        setting(settings, "username"), setting(settings, "password"));
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageProducer producer = session.createProducer(session.createQueue(queue))) {
              BytesMessage message = session.createBytesMessage();
              message.writeBytes(body);
              producer.send(message);
            }
          });
    }
  }
}
