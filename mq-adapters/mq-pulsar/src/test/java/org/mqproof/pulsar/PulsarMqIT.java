package org.mqproof.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** What no rule asks for, and what one would look for in Pulsar. */
@Tag("full")
class PulsarMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("pulsar");

  /** An administrator gives the namespace a time to live, and takes it back. */
  @Test
  void aNamespaceThatDropsMessagesIsRefused() throws Exception {
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("namespace", "drops");
    try (Mq mq = MqProvider.named("pulsar").connect(settings)) {
      mq.createQueue("q");
      administer(settings, "POST", "/messageTTL", "60");
      administer(settings, "POST", "/subscriptionExpirationTime", "7");
      administer(
          settings,
          "POST",
          "/backlogQuota",
          "{\"limitSize\": 1000000, \"policy\": \"consumer_backlog_eviction\"}");
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> mq.sender("q"))
          .withMessageContaining(
              "message_ttl_in_seconds is 60, must be 0; subscription_expiration_time_minutes is 7,"
                  + " must be 0; policy is consumer_backlog_eviction, must be"
                  + " producer_request_hold");
      settings.put("check.namespace", "false");
      try (Mq unchecked = MqProvider.named("pulsar").connect(settings)) {
        Sender unused = unchecked.sender("q");
      }
      mq.deleteQueue("q");
    }
  }

  private static void administer(
      Map<String, String> settings, String method, String policy, String value) throws Exception {
    String admin = requireNonNull(settings.get("admin.url")).split(",", -1)[0];
    URI uri = URI.create(admin + "/admin/v2/namespaces/public/drops-2-2-2" + policy);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setReadTimeout(20_000);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(value.getBytes(UTF_8));
    }
    assertThat(connection.getResponseCode()).as(policy).isBetween(200, 299);
    connection.disconnect();
  }
}
