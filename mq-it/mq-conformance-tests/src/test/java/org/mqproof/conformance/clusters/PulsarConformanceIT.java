package org.mqproof.conformance.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Optional;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;

/** Three nodes. */
@Tag("full")
class PulsarConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.PULSAR;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  private static final String NAMESPACE = "public/mqproof-2-2-2";

  /** The client asks a silent broker twice whether it lives. */
  private static final Map<String, String> IMPATIENT =
      Map.of("call.bound", "8s", "connect.bound", "2s", "keep.alive", "2s");

  @Nested
  @DisplayName("Pulsar, two of three bookies")
  class Default extends ClusterConformance {
    Default() {
      super(CLUSTER, Map.of(), IMPATIENT);
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return Map.of(
          "message_ttl_in_seconds=3600",
          queue -> withPolicy("messageTTL", "3600"),
          "subscription_expiration_time_minutes=60",
          queue -> withPolicy("subscriptionExpirationTime", "60"),
          "policy=consumer_backlog_eviction",
          queue ->
              withPolicy(
                  "backlogQuota",
                  """
                  {"limitSize": %d, "limitTime": -1, "policy": "consumer_backlog_eviction"}
                  """
                      .formatted(MORE_THAN_THERE_IS)));
    }
  }

  /** In bytes. So nothing is dropped. */
  private static final long MORE_THAN_THERE_IS = 1L << 50;

  /** Sets a policy of the namespace, which whoever closes this removes. */
  private static AutoCloseable withPolicy(String policy, String value) throws Exception {
    String path = "namespaces/" + NAMESPACE + "/" + policy;
    ask(path, "POST", value);
    return () -> ask(path, "DELETE", "");
  }

  /** Asks as who may do everything. */
  private static void ask(String path, String method, String body) throws Exception {
    URI brokers =
        URI.create(WaysIn.setting(CLUSTER.settings(Access.PLAIN), "admin.url").split(",", 2)[0]);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(brokers.resolve("/admin/v2/" + path))
                    .header("Content-Type", "application/json")
                    .method(method, BodyPublishers.ofString(body))
                    .build(),
                BodyHandlers.ofString());
    assertThat(answer.statusCode()).as("%s %s: %s", method, path, answer.body()).isEqualTo(204);
  }

  @Nested
  @DisplayName("Pulsar, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            try (PulsarClient client =
                    PulsarClient.builder()
                        .serviceUrl(setting(settings, "service.url"))
                        .authentication(AuthenticationFactory.token(setting(settings, "token")))
                        .tlsTrustCertsFilePath(setting(settings, "tls.ca.file"))
                        .build();
                Producer<byte[]> producer =
                    client
                        .newProducer()
                        .topic("persistent://" + NAMESPACE + "/" + queue)
                        .create()) {
              MessageId unused = producer.send(body);
            }
          });
    }

    @Override
    String secret() {
      return "token";
    }

    /** Nobody has signed it. */
    @Override
    String wrongSecret() {
      return "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtcXByb29mIn0.AAAA";
    }

    /** {@link #passwordFile} shows what a wrong one meets. */
    @Override
    @Test
    @DisplayName("a wrong password")
    void wrongPassword() {
      abort("over HTTP this cluster takes whoever has no valid token for one of its nodes");
    }

    /** As a wrong one, it is noticed by the first sender. */
    @Test
    @DisplayName("a token that has ended")
    void endedToken() throws InterruptedException {
      String queue = newName();
      try (Mq owner = connect(CLUSTER.settings(Access.TOKEN))) {
        owner.createQueue(queue);
        try (Mq mq = connect(CLUSTER.settings(Access.ENDED_TOKEN))) {
          assertThatExceptionOfType(MqException.class)
              .isThrownBy(() -> mq.sender(queue).close())
              .withMessageContaining(wrongPasswordSays());
        }
        owner.deleteQueue(queue);
      }
    }

    /** "Unauthorized to" or "not authorized to". */
    @Override
    String missingRightSays() {
      return "uthorized to ";
    }

    @Override
    String rightToCreate() {
      return "[CREATE_TOPIC] on namespace [" + NAMESPACE;
    }

    @Override
    void grantLeastRights(Mq owner) throws Exception {
      ask(
          "persistent/%s/%s/permissions/%s"
              .formatted(NAMESPACE, Access.LEAST_QUEUE, Access.LEAST_USER),
          "POST",
          "[\"produce\", \"consume\"]");
    }

    @Override
    String otherName(String addresses) {
      return addresses.replace("localhost:", "127.0.0.1:");
    }

    @Override
    String wrongPasswordSays() {
      return "Failed to authenticate";
    }
  }
}
