package org.mqproof.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

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

  @Test
  void headersArePropertiesToOtherPrograms() throws Exception {
    Map<String, String> headers = Map.of("traceparent", "00-ab-01", "greeting", "gr\u00fc\u00df");
    try (Mq mq = MqProvider.named("pulsar").connect(CLUSTER.settings());
        PulsarClient plain = plain()) {
      mq.createQueue("headers");
      try (Sender sender = mq.sender("headers");
          Reader<byte[]> reader =
              plain
                  .newReader()
                  .topic(topic("headers"))
                  .startMessageId(MessageId.earliest)
                  .create();
          Producer<byte[]> producer = plain.newProducer().topic(topic("headers")).create();
          Receiver receiver = mq.receiver("headers")) {
        sender.send(List.of(new Message(new byte[] {1}, headers), new Message(new byte[] {2})));
        assertThat(reader.readNext(20, TimeUnit.SECONDS).getProperties()).isEqualTo(headers);
        assertThat(reader.readNext(20, TimeUnit.SECONDS).getProperties())
            .as("as 0.1.0 wrote it")
            .isEmpty();
        List<Delivery> received = receive(receiver, 2);
        assertThat(received.get(0).message().headers()).isEqualTo(headers);
        assertThat(received.get(1).message().headers()).isEmpty();
        get(receiver.ack(received));

        MessageId unused =
            producer.newMessage().property("n", "v").property("not a name", "v").send();
        List<Delivery> foreign = receive(receiver, 1);
        assertThat(foreign.get(0).message().headers()).containsExactly(Map.entry("n", "v"));
        get(receiver.ack(foreign));
      }
      mq.deleteQueue("headers");
    }
  }

  /** The messages share an entry: nothing else of it may go to another receiver. */
  @Test
  void whatIsReleasedComesAgainHereAndAfterItElsewhere() throws Exception {
    try (Mq mq = MqProvider.named("pulsar").connect(CLUSTER.settings())) {
      mq.createQueue("release");
      List<Delivery> held;
      List<Delivery> again;
      try (Receiver receiver = mq.receiver("release")) {
        try (Sender sender = mq.sender("release")) {
          sender.send(
              IntStream.range(0, 5).mapToObj(i -> new Message(new byte[] {(byte) i})).toList());
        }
        held = receive(receiver, 5);
        try (Receiver other = mq.receiver("release")) {
          get(receiver.release(List.of(held.get(3), held.get(1))));
          get(receiver.extend(held));
          assertThat(other.receive(5, Duration.ofSeconds(1))).isEmpty();
        }
        again = receive(receiver, 2);
        assertThat(again).extracting(d -> d.message().body()[0]).containsExactly(bytes(1, 3));
        get(receiver.ack(List.of(held.get(0), held.get(2), again.get(0))));
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> get(receiver.ack(held.subList(2, 5))))
            .satisfies(
                e ->
                    assertThat(((AckFailedException) requireNonNull(e.getCause())).outcomes())
                        .containsExactly(Outcome.CONFIRMED, Outcome.REJECTED, Outcome.CONFIRMED));
        get(receiver.release(List.of(again.get(1))));
      }
      try (Receiver other = mq.receiver("release")) {
        List<Delivery> rest = receive(other, 1);
        assertThat(rest).extracting(d -> d.message().body()[0]).containsExactly(bytes(3));
        get(other.ack(rest));
      }
      try (Receiver last = mq.receiver("release")) {
        assertThat(last.receive(1, Duration.ofSeconds(1))).isEmpty();
      }
      mq.deleteQueue("release");
    }
  }

  @Test
  void aCancelledFutureHarmsNoOther() throws Exception {
    try (Mq mq = MqProvider.named("pulsar").connect(CLUSTER.settings())) {
      mq.createQueue("cancelled");
      try (Sender sender = mq.sender("cancelled");
          Receiver receiver = mq.receiver("cancelled")) {
        assertThat(sender.sendAsync(List.of(new Message(new byte[1]))).cancel(true)).isTrue();
        List<Delivery> received = receive(receiver, 1);
        boolean unused = receiver.ack(received).cancel(true);
        get(receiver.ack(received));
      }
      try (Receiver receiver = mq.receiver("cancelled")) {
        assertThat(receiver.receive(1, Duration.ofSeconds(1))).isEmpty();
      }
      mq.deleteQueue("cancelled");
    }
  }

  private static Byte[] bytes(int... bytes) {
    return IntStream.of(bytes).mapToObj(b -> (byte) b).toArray(Byte[]::new);
  }

  private static List<Delivery> receive(Receiver receiver, int count) throws Exception {
    List<Delivery> all = new ArrayList<>();
    long start = System.nanoTime();
    while (all.size() < count && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    assertThat(all).hasSize(count);
    return all;
  }

  private static void get(CompletableFuture<Void> future) throws Exception {
    Void unused = future.get(20, TimeUnit.SECONDS);
  }

  private static String topic(String queue) {
    return new PulsarSettings(Settings.of(new PulsarMqProvider(), CLUSTER.settings())).topic(queue);
  }

  private static PulsarClient plain() throws Exception {
    return PulsarClient.builder()
        .serviceUrl(requireNonNull(CLUSTER.settings().get("service.url")))
        .build();
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
