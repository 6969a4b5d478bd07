package org.mqproof.conformance.clusters;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.security.TestAuthority;
import org.mqproof.conformance.BrokenQueue;

/** Three nodes. */
class KafkaConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.KAFKA;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

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

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return topics();
    }
  }

  @Nested
  @DisplayName("Kafka, acks=1, order kept, in a consumer group")
  @Variant(of = AcksAll.class)
  @Tag("full") // the same requests: only what a crash leaves differs
  class AcksOne extends ClusterConformance {
    AcksOne() {
      super(CLUSTER, Map.of("acks", "1", "order", "per-sender"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }

    /** It declares that a confirmed message is lost with the leader. */
    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      Map<String, BrokenQueue> topics = topics();
      topics.keySet().removeIf(name -> name.startsWith("min.insync") || name.startsWith("unclean"));
      return topics;
    }
  }

  @Nested
  @DisplayName("Kafka, acks=all, in a share group")
  class Share extends ClusterConformance {
    Share() {
      super(CLUSTER, Map.of("receive", "share", "partitions", "1", "claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return topics();
    }

    /** The default of {@code share.delivery.count.limit}; Kafka has no share group without one. */
    @Override
    protected int mostDeliveries() {
      return 10;
    }
  }

  /** Topics that others made, each right but for one setting. */
  private static Map<String, BrokenQueue> topics() {
    Map<String, BrokenQueue> topics = new HashMap<>();
    topics.put("replication factor of partition 0=1", queue -> topic(queue, 1, Map.of()));
    Map.of(
            "retention.ms", "604800000",
            "retention.bytes", "1048576",
            "cleanup.policy", "compact",
            "min.insync.replicas", "1",
            "unclean.leader.election.enable", "true")
        .forEach(
            (name, value) ->
                topics.put(name + "=" + value, queue -> topic(queue, 3, Map.of(name, value))));
    return topics;
  }

  private static AutoCloseable topic(String queue, int copies, Map<String, String> wrong)
      throws Exception {
    Map<String, String> config = new HashMap<>(Map.of("retention.ms", "-1"));
    config.put("min.insync.replicas", "2");
    config.putAll(wrong);
    String servers = String.valueOf(CLUSTER.settings(Access.PLAIN).get("bootstrap.servers"));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      NewTopic topic = new NewTopic(queue, 1, (short) copies).configs(config);
      admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    }
    return () -> {};
  }

  /** Of Kafka's client, which asks nobody else for a token. */
  private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

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

    @Override
    String missingRightSays() {
      return "uthorization failed";
    }

    @Override
    String rightToCreate() {
      return "the user needs Create on the topic or on the cluster: Authorization failed";
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            String login =
                "org.apache.kafka.common.security.scram.ScramLoginModule required"
                    + " username=\"%s\" password=\"%s\";";
            Map<String, Object> own =
                Map.of(
                    "bootstrap.servers",
                    setting(settings, "bootstrap.servers"),
                    "security.protocol",
                    "SASL_SSL",
                    "ssl.truststore.type",
                    "PEM",
                    "ssl.truststore.location",
                    setting(settings, "tls.ca.file"),
                    "sasl.mechanism",
                    "SCRAM-SHA-512",
                    "sasl.jaas.config",
                    login.formatted(setting(settings, "username"), setting(settings, "password")),
                    "acks",
                    "all",
                    "max.block.ms",
                    20_000);
            ByteArraySerializer bytes = new ByteArraySerializer();
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(own, bytes, bytes)) {
              var unused =
                  producer.send(new ProducerRecord<>(queue, body)).get(60, TimeUnit.SECONDS);
            }
          });
    }

    /** One after the other: it is one queue. */
    @Override
    @Test
    @DisplayName("a user who may use one queue, in a consumer group and in a share group")
    void leastRights() throws Exception {
      leastRights(Map.of(), rightToCreate());
      leastRights(Map.of("receive", "share"), "the user needs AlterConfigs on the group");
    }

    @Test
    @DisplayName("a token and TLS")
    void token() throws InterruptedException {
      passOne(CLUSTER.settings(Access.TOKEN));
    }

    @Test
    @DisplayName("a token that is fetched")
    void fetchedToken() throws Exception {
      Map<String, String> settings = new HashMap<>(CLUSTER.settings(Access.TOKEN));
      String token = String.valueOf(settings.remove("token"));
      String expected =
          "Basic " + Base64.getEncoder().encodeToString("me:open sesame".getBytes(UTF_8));
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/token",
          exchange -> {
            boolean known = expected.equals(exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] answer = (known ? "{\"access_token\":\"" + token + "\"}" : "{}").getBytes(UTF_8);
            exchange.sendResponseHeaders(known ? 200 : 401, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
          });
      server.start();
      String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/token";
      System.setProperty(ALLOWED_URLS, url);
      try {
        settings.putAll(
            Map.of("oauth.token.url", url, "username", "me", "password", "open sesame"));
        passOne(settings);
      } finally {
        System.clearProperty(ALLOWED_URLS);
        server.stop(0);
      }
    }

    @Test
    @DisplayName("a token that has ended")
    void endedToken() {
      refused(
          Access.ENDED_TOKEN,
          settings -> settings,
          "the token has ended, or is of another issuer or for another audience");
    }

    @Test
    @DisplayName("a token that another authority signed")
    void wrongToken(@TempDir Path directory) {
      String other = TestAuthority.make(directory).token("mqproof", Duration.ofHours(1));
      refused(
          Access.TOKEN,
          settings -> with(settings, "token", other),
          "the token has ended, or is of another issuer or for another audience");
    }
  }
}
