package org.mqproof.conformance.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;

/** A replicating pair. */
class ArtemisConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.ARTEMIS;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  @Nested
  @DisplayName("Artemis, send=transacted")
  class Transacted extends ClusterConformance {
    Transacted() {
      super(CLUSTER, Map.of("send", "transacted"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      Map<String, BrokenQueue> queues = new HashMap<>();
      queues.put("durable=false", made(queue -> queue.setDurable(false)));
      queues.put("filter=a = 1", made(queue -> queue.setFilterString("a = 1")));
      queues.put("purge-on-no-consumers=true", made(queue -> queue.setPurgeOnNoConsumers(true)));
      queues.put("auto-delete=true", made(queue -> queue.setAutoDelete(true)));
      queues.put("last-value=true", made(queue -> queue.setLastValue(true)));
      queues.put("non-destructive=true", made(queue -> queue.setNonDestructive(true)));
      queues.put("ring-size=10", made(queue -> queue.setRingSize(10L)));
      queues.put("max-delivery-attempts=3", at("maxDeliveryAttempts", "3"));
      queues.put("address-full-policy=DROP", at("addressFullMessagePolicy", "\"DROP\""));
      queues.put("expiry-delay=60000", at("expiryDelay", "60000"));
      queues.put("max-expiry-delay=70000", at("maxExpiryDelay", "70000"));
      queues.put("auto-delete-created-queues=true", at("autoDeleteCreatedQueues", "true"));
      return queues;
    }
  }

  /** A queue that others made. */
  private static BrokenQueue made(Consumer<QueueConfiguration> wrong) {
    return queue -> {
      inSession(session -> create(session, queue, wrong));
      return () -> {};
    };
  }

  /** A queue of an address that others configured. */
  private static BrokenQueue at(String setting, String value) {
    return queue -> {
      String settings = "{\"%s\": %s}".formatted(setting, value);
      inSession(session -> manage(session, "addAddressSettings", queue, settings));
      inSession(session -> create(session, queue, right -> {}));
      return () -> inSession(session -> manage(session, "removeAddressSettings", queue));
    };
  }

  private static void create(
      ClientSession session, String queue, Consumer<QueueConfiguration> wrong) throws Exception {
    session.createAddress(SimpleString.of(queue), RoutingType.ANYCAST, false);
    QueueConfiguration configuration =
        QueueConfiguration.of(queue).setRoutingType(RoutingType.ANYCAST);
    wrong.accept(configuration);
    session.createQueue(configuration);
  }

  private static void manage(ClientSession session, String operation, Object... parameters)
      throws Exception {
    ClientMessage request = session.createMessage(false);
    ManagementHelper.putOperationInvocation(request, ResourceNames.BROKER, operation, parameters);
    ClientMessage reply =
        new ClientRequestor(session, "activemq.management").request(request, 20_000);
    assertThat(ManagementHelper.hasOperationSucceeded(reply))
        .as("%s: %s", operation, ManagementHelper.getResult(reply))
        .isTrue();
  }

  private interface Order {
    void give(ClientSession session) throws Exception;
  }

  private static void inSession(Order order) throws Exception {
    Map<String, String> settings = CLUSTER.settings(Access.PLAIN);
    String nodes = "(tcp://" + WaysIn.setting(settings, "addresses").replace(",", ",tcp://") + ")";
    try (ServerLocator locator = ActiveMQClient.createServerLocator(nodes);
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session =
            factory.createSession(
                settings.get("username"), settings.get("password"), false, true, true, false, 1)) {
      session.start();
      order.give(session);
    }
  }

  @Nested
  @DisplayName("Artemis, send=async")
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
  @DisplayName("Artemis, send=per-message")
  @Variant(of = Transacted.class)
  class PerMessage extends ClusterConformance {
    PerMessage() {
      super(CLUSTER, Map.of("send", "per-message"));
    }
  }

  @Nested
  @DisplayName("Artemis, releases")
  class Released extends ReleasedHere {
    Released() {
      super(CLUSTER);
    }
  }

  @Nested
  @DisplayName("Artemis, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, true);
    }

    @Override
    String wrongPasswordSays() {
      return "Unable to validate user";
    }

    @Override
    String missingRightSays() {
      return "does not have permission='";
    }

    @Override
    String rightToCreate() {
      return "does not have permission='CREATE_ADDRESS'";
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            String nodes =
                "(tcp://%s)?sslEnabled=true&trustStorePassword=%s&trustStorePath=%s"
                    .formatted(
                        setting(settings, "addresses").replace(",", ",tcp://"),
                        STORE_PASSWORD,
                        trustStore(settings, directory));
            try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(nodes);
                JMSContext context =
                    factory.createContext(
                        setting(settings, "username"), setting(settings, "password"))) {
              JMSProducer unused = context.createProducer().send(context.createQueue(queue), body);
            }
          });
    }
  }
}
