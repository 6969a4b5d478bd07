package org.mqproof.conformance.clusters;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;

/** Three nodes with JetStream. */
class NatsConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.NATS;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

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

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      Map<String, BrokenQueue> queues = new HashMap<>();
      queues.put("retention=limits", stream(s -> s.retentionPolicy(RetentionPolicy.Limits)));
      queues.put("storage=memory", stream(s -> s.storageType(StorageType.Memory)));
      queues.put("num_replicas=1", stream(s -> s.replicas(1)));
      queues.put("max_msgs=10", stream(s -> s.maxMessages(10)));
      queues.put("max_bytes=10000", stream(s -> s.maxBytes(10_000)));
      queues.put("max_age=60000 ms", stream(s -> s.maxAge(Duration.ofMinutes(1))));
      queues.put("discard=old", stream(s -> s.discardPolicy(DiscardPolicy.Old)));
      queues.put("no_ack=true", stream(s -> s.noAck(true)));
      queues.put("max_deliver=3", consumer(c -> c.maxDeliver(3)));
      queues.put("ack_wait=1000 ms", consumer(c -> c.ackWait(Duration.ofSeconds(1))));
      return queues;
    }
  }

  /** A stream that others made, right but for one setting. */
  private static BrokenQueue stream(UnaryOperator<StreamConfiguration.Builder> wrong) {
    return queue -> make(queue, wrong, UnaryOperator.identity());
  }

  /** A stream whose consumer others made. */
  private static BrokenQueue consumer(UnaryOperator<ConsumerConfiguration.Builder> wrong) {
    return queue -> make(queue, UnaryOperator.identity(), wrong);
  }

  private static AutoCloseable make(
      String queue,
      UnaryOperator<StreamConfiguration.Builder> stream,
      UnaryOperator<ConsumerConfiguration.Builder> consumer)
      throws Exception {
    StreamConfiguration.Builder right =
        StreamConfiguration.builder()
            .name(queue)
            .subjects(queue)
            .retentionPolicy(RetentionPolicy.WorkQueue)
            .storageType(StorageType.File)
            .discardPolicy(DiscardPolicy.New)
            .replicas(3);
    connected(
        CLUSTER.settings(Access.PASSWORD),
        connection -> {
          JetStreamManagement management = connection.jetStreamManagement();
          var unusedStream = management.addStream(stream.apply(right).build());
          var unusedConsumer =
              management.createConsumer(
                  queue,
                  consumer
                      .apply(ConsumerConfiguration.builder().durable("others").maxDeliver(-1))
                      .build());
        });
    return () -> {};
  }

  private interface Use {
    void with(Connection connection) throws Exception;
  }

  /** By the client of NATS itself. */
  private static void connected(Map<String, String> settings, Use use) throws Exception {
    Options own =
        new Options.Builder()
            .servers(WaysIn.setting(settings, "servers").split(","))
            .userInfo(WaysIn.setting(settings, "username"), WaysIn.setting(settings, "password"))
            .sslContext(WaysIn.trusting(settings))
            .build();
    Connection connection = Nats.connect(own);
    try {
      use.with(connection);
    } finally {
      connection.close();
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
    String rightToCreate() {
      return "Permissions Violation for Publish to \"$JS.API.STREAM.CREATE.";
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) ->
              connected(
                  settings,
                  connection -> {
                    var unused = connection.jetStream().publish(queue, body);
                  }));
    }

    @Override
    boolean connectsAgain() {
      return false;
    }
  }
}
