package org.mqproof.conformance.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.rabbitmq.RabbitClusterProvider;
import org.mqproof.conformance.BrokenQueue;

/** Three nodes. */
class RabbitConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.RABBITMQ;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  private static final int MORE_THAN_THE_LIMIT = 25;

  @Nested
  @DisplayName("RabbitMQ, quorum queues, publisher confirms")
  class Quorum extends ClusterConformance {
    Quorum() {
      super(CLUSTER, Map.of("queue.type", "quorum"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      Map<String, Object> wrong =
          Map.of("x-max-length", 10, "x-message-ttl", 60_000, "x-expires", 60_000);
      Map<String, BrokenQueue> queues = queues("quorum", wrong);
      Map<String, Object> classic = Map.of("x-queue-type", "classic");
      queues.put("x-queue-type=classic", queue -> declare(queue, true, classic));
      if (limitsDeliveries()) {
        Map<String, Object> bare = Map.of("x-queue-type", "quorum");
        queues.put("x-delivery-limit=none", queue -> declare(queue, true, bare));
      }
      return queues;
    }

    @Test
    @DisplayName("no message is dropped for its many deliveries: 20 are the default limit from 4.0")
    void aMessageOutlivesTheDeliveryLimit() throws Exception {
      String queue = "deliveries-" + Long.toHexString(System.nanoTime());
      try (Mq mq = connect()) {
        mq.createQueue(queue);
        try (Sender sender = mq.sender(queue)) {
          sender.send(List.of(new Message(new byte[] {1})));
        }
        for (int delivered = 1; delivered <= MORE_THAN_THE_LIMIT; delivered++) {
          try (Receiver receiver = mq.receiver(queue)) {
            assertThat(receiver.receive(1, patience())).as("delivery %d", delivered).hasSize(1);
          } // not acked
        }
        mq.deleteQueue(queue);
      }
    }
  }

  @Nested
  @DisplayName("RabbitMQ, quorum queues, transactions")
  @Variant(of = Quorum.class)
  class Transactions extends ClusterConformance {
    Transactions() {
      super(CLUSTER, Map.of("queue.type", "quorum", "confirm", "transactions"));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, classic queues of version 2, publisher confirms")
  class Classic extends ClusterConformance {
    Classic() {
      super(CLUSTER, Map.of("queue.type", "classic", "queue.version", "2"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      Map<String, BrokenQueue> queues =
          queues("classic", Map.of("x-max-length-bytes", 1_000, "x-message-ttl", 60_000));
      queues.put("durable=false", queue -> declare(queue, false, Map.of()));
      return queues;
    }
  }

  /** RabbitMQ 4, whose quorum queues drop a message after 20 deliveries if nothing else is said. */
  private static boolean limitsDeliveries() {
    return !RabbitClusterProvider.hasMirroredQueues(CLUSTER.version());
  }

  /** Queues of that type which others made, each with one of these arguments. */
  private static Map<String, BrokenQueue> queues(String type, Map<String, Object> wrong) {
    Map<String, BrokenQueue> queues = new HashMap<>();
    wrong.forEach(
        (name, value) -> {
          Map<String, Object> arguments = new HashMap<>(Map.of("x-queue-type", type, name, value));
          if (type.equals("quorum") && limitsDeliveries()) {
            arguments.put("x-delivery-limit", -1);
          }
          queues.put(name + "=" + value, queue -> declare(queue, true, arguments));
        });
    return queues;
  }

  private static AutoCloseable declare(String queue, boolean durable, Map<String, Object> arguments)
      throws Exception {
    connected(
        CLUSTER.settings(Access.PASSWORD),
        channel -> {
          var unused = channel.queueDeclare(queue, durable, false, false, arguments);
        });
    return () -> {};
  }

  private interface Use {
    void with(Channel channel) throws Exception;
  }

  /** By RabbitMQ's own client. */
  private static void connected(Map<String, String> settings, Use use) throws Exception {
    ConnectionFactory own = new ConnectionFactory();
    own.setUsername(WaysIn.setting(settings, "username"));
    own.setPassword(WaysIn.setting(settings, "password"));
    own.useSslProtocol(WaysIn.trusting(settings));
    own.enableHostnameVerification();
    Address[] addresses = Address.parseAddresses(WaysIn.setting(settings, "addresses"));
    try (Connection connection = own.newConnection(addresses);
        Channel channel = connection.createChannel()) {
      use.with(channel);
    }
  }

  @Nested
  @DisplayName("RabbitMQ, classic queues of version 1, publisher confirms")
  @Variant(of = Classic.class)
  @Tag("full") // the same methods of AMQP: only how the broker stores differs
  class ClassicV1 extends ClusterConformance {
    ClassicV1() {
      super(CLUSTER, Map.of("queue.type", "classic", "queue.version", "1"));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, classic mirrored queues, publisher confirms")
  @Variant(of = Classic.class)
  @Tag("full") // the same methods of AMQP: only how the broker stores differs
  class Mirrored extends ClusterConformance {
    Mirrored() {
      super(CLUSTER, Map.of("queue.type", "classic-mirrored"));
    }

    @BeforeAll
    static void requireMirroredQueues() {
      assumeTrue(
          RabbitClusterProvider.hasMirroredQueues(CLUSTER.version()),
          () -> "RabbitMQ %s has no mirrored queues".formatted(CLUSTER.version()));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, queues declared as on any server of AMQP 0-9-1")
  @Variant(of = Classic.class)
  class Plain extends ClusterConformance {
    Plain() {
      super(CLUSTER, Map.of("queue.type", "plain"));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    String wrongPasswordSays() {
      return "Login was refused";
    }

    @Override
    String missingRightSays() {
      return "ACCESS_REFUSED";
    }

    @Override
    String rightToCreate() {
      return "the user has no right to configure it";
    }

    @Override
    boolean whoSendsToOneQueueMaySendToAll() {
      return true; // over the exchange amq.default
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) ->
              connected(
                  settings,
                  channel -> {
                    var unused = channel.confirmSelect();
                    channel.basicPublish("", queue, true, MessageProperties.PERSISTENT_BASIC, body);
                    channel.waitForConfirmsOrDie(20_000);
                  }));
    }

    /** Receivers share the connection that made the queue. */
    @Override
    void connectAgain(Mq mq, String queue) {
      mq.sender(queue).close();
    }
  }
}
