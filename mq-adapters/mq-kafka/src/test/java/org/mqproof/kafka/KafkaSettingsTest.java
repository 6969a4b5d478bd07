package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.security.oauthbearer.JwtRetrieverException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.AckMode;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class KafkaSettingsTest {

  static KafkaSettings settings(Map<String, String> given) {
    return new KafkaSettings(Settings.of(new KafkaMqProvider(), given));
  }

  @Test
  void acksAllAwaitsReplication() {
    Traits traits = settings(Map.of()).traits();
    assertThat(traits.mode()).isEqualTo("acks=all,receive=group");
    assertThat(traits.copies()).isEqualTo(3);
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits.durable()).isTrue();
    assertThat(traits.ackMode()).isEqualTo(AckMode.WHOLE_PREFIX);
    assertThat(traits.claimPeriod()).isEmpty();
  }

  @Test
  void acksOneDoesNot() {
    Traits traits = settings(Map.of("acks", "1", "order", "per-sender")).traits();
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.durable()).isFalse();
    assertThat(traits.ordering()).isEqualTo(Ordering.PER_SENDER);
  }

  @Test
  void aSingleInSyncReplicaIsNoReplication() {
    assertThat(settings(Map.of("min.insync.replicas", "1")).traits().replicationAwaited())
        .isFalse();
  }

  @Test
  void aShareGroupAcksEachMessageAndKeepsNoOrder() {
    Traits traits =
        settings(Map.of("receive", "share", "claim.period", "20s", "order", "per-sender")).traits();
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.claimPeriod()).contains(Duration.ofSeconds(20));
    assertThat(traits.redeliveryBound()).isGreaterThan(Duration.ofSeconds(40));
    assertThat(traits.ordering()).isEqualTo(Ordering.NONE);
    assertThat(traits.mostInFlight()).isEqualTo(2_000);
  }

  @Test
  void moreInSyncReplicasThanCopiesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("replication.factor", "1", "min.insync.replicas", "2")))
        .withMessage(
            "kafka: setting min.insync.replicas cannot be 2: it takes at most replication.factor,"
                + " 1");
  }

  @Test
  void anUnknownSettingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MqProvider.named("kafka").connect(Map.of("ack", "all")))
        .withMessageContaining("unknown setting ack")
        .withMessageContaining("acks: all or 1 (default all)");
  }

  @Test
  void itsOwnOptionsReachTheClientsThatKnowThem() {
    KafkaSettings settings =
        settings(
            Map.of(
                "client.send.buffer.bytes", "65536",
                "client.client.rack", "r1",
                "client.fetch.min.bytes", "7",
                "client.compression.zstd.level", "3"));

    assertThat(settings.producerConfig())
        .containsEntry("send.buffer.bytes", "65536")
        .containsEntry("compression.zstd.level", "3")
        .doesNotContainKey("fetch.min.bytes");
    assertThat(settings.consumerConfig("g"))
        .containsEntry("client.rack", "r1")
        .containsEntry("fetch.min.bytes", "7");
    assertThat(settings.shareConsumerConfig("g")).containsEntry("fetch.min.bytes", "7");
    assertThat(settings.adminConfig())
        .containsEntry("send.buffer.bytes", "65536")
        .doesNotContainKeys("client.rack", "fetch.min.bytes");
    new KafkaProducer<>(settings.producerConfig()).close(Duration.ZERO);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "acks                  | a confirm rests on it; setting acks has it",
        "enable.idempotence    | a confirm rests on it",
        "retries               | a confirm rests on it",
        "transactional.id      | a confirm rests on it",
        "enable.auto.commit    | what an ack settles rests on it",
        "auto.offset.reset     | what an ack settles rests on it",
        "isolation.level       | what an ack settles rests on it",
        "share.acquire.mode    | what an ack settles rests on it",
        "value.deserializer    | that bodies arrive unchanged rests on it",
        "key.serializer        | that bodies arrive unchanged rests on it",
        "group.id              | setting group.id has it",
        "group.instance.id     | when messages of a dead receiver come back rests on it",
        "max.poll.interval.ms  | when messages of a dead receiver come back rests on it",
        "max.poll.records      | setting max.poll.records has it",
        "delivery.timeout.ms   | that calls end in time rests on it; setting call.bound has it",
        "request.timeout.ms    | that calls end in time rests on it; setting call.bound has it",
        "partitioner.class     | the order rests on it; setting order has it",
        "linger                | Kafka's client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("kafka: setting client.%s is refused: %s", option, why);
  }

  @Test
  void aValueThatKafkaDoesNotTakeIsShownOnlyIfItIsHarmless() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.send.buffer.bytes", "many")))
        .withMessage(
            "kafka: setting client.send.buffer.bytes cannot be 'many': Kafka's client does not take"
                + " it");
    for (String option : List.of("security.protocol", "sasl.login.class")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
          .withMessage(
              "kafka: setting client.%s cannot be what it is: Kafka's client does not take it",
              option)
          .withNoCause();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "token=t                               | settings token and oauth.token.url are of no use without sasl=oauthbearer",
        "oauth.token.url=http://a/t            | settings token and oauth.token.url are of no use without sasl=oauthbearer",
        "sasl=oauthbearer;token=t              | setting sasl=oauthbearer needs tls=true: it would send the token for all to read",
        "sasl=oauthbearer;tls=true             | setting sasl=oauthbearer needs either token or all of oauth.token.url, username and password",
        "sasl=oauthbearer;tls=true;token=t;username=u | setting sasl=oauthbearer needs either token or all of oauth.token.url, username and password",
        "sasl=oauthbearer;tls=true;oauth.token.url=http://a/t | setting sasl=oauthbearer needs either token or all of oauth.token.url, username and password",
        "sasl=oauthbearer;tls=true;token=t     | setting sasl=oauthbearer needs com.fasterxml.jackson.core:jackson-databind on the class path",
      })
  void aTokenThatCannotBeGivenIsRefused(String given, String says) {
    Map<String, String> settings =
        Arrays.stream(given.split(";", -1))
            .collect(Collectors.toMap(s -> s.split("=", 2)[0], s -> s.split("=", 2)[1]));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(settings))
        .withMessage("kafka: " + says);
  }

  @Test
  void aPasswordIsReadAgainWheneverAClientConnects(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("password"), "first");
    KafkaSettings settings =
        settings(
            Map.of("sasl", "scram-sha-512", "username", "me", "password.file", file.toString()));
    Map<String, Object> config = settings.producerConfig();
    ReadAgain asked = new ReadAgain();
    asked.configure(config, "SCRAM-SHA-512", List.of());
    Files.writeString(file, "second");
    NameCallback name = new NameCallback("name");
    PasswordCallback password = new PasswordCallback("password", false);
    asked.handle(new Callback[] {name, password});

    assertThat(name.getName()).isEqualTo("me");
    assertThat(password.getPassword()).containsExactly("second".toCharArray());
    assertThatExceptionOfType(JwtRetrieverException.class)
        .isThrownBy(asked::retrieve)
        .withMessage("setting token is no JSON Web Token");
    Files.writeString(file, "a.b-_.c\n");
    assertThat(asked.retrieve()).isEqualTo("a.b-_.c");
    assertThat(config).containsEntry("sasl.client.callback.handler.class", ReadAgain.class);
    assertThat(config.toString()).doesNotContain("first", "second");
  }

  /** Kafka refuses time-outs that contradict each other, but only when a client is made. */
  @ParameterizedTest
  @ValueSource(strings = {"3s", "10s", "30s", "1h"})
  void kafkaAcceptsWhatIsDerivedFromTheBound(String bound) {
    KafkaSettings group = settings(Map.of("call.bound", bound, "linger.ms", "100"));
    new KafkaProducer<>(group.producerConfig()).close(Duration.ZERO);
    new KafkaConsumer<>(group.consumerConfig("g")).close();
    KafkaSettings share = settings(Map.of("call.bound", bound, "receive", "share"));
    new KafkaShareConsumer<>(share.shareConsumerConfig("g")).close(Duration.ZERO);
  }

  @Test
  void aProducerGivesUpWithinTheBound() {
    KafkaSettings settings = settings(Map.of("call.bound", "12s"));
    Map<String, Object> config = settings.producerConfig();
    assertThat(
            number(config, ProducerConfig.MAX_BLOCK_MS_CONFIG)
                + number(config, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG))
        .isLessThanOrEqualTo(12_000);
  }

  private static long number(Map<String, Object> config, String key) {
    return Long.parseLong(String.valueOf(config.get(key)));
  }

  @Test
  void aHeldPartitionOutlastsTheHoldBeforeTheGroupTakesItAway() {
    Map<String, Object> config = settings(Map.of("rebalance.hold", "1h")).consumerConfig("g");
    assertThat(number(config, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG)).isGreaterThan(3_600_000);
  }

  /** Until then nobody gets what a dead receiver held: the others wait for who holds. */
  @Test
  void theHoldIsPartOfTheBoundOfRedelivery() {
    assertThat(settings(Map.of()).traits().redeliveryBound()).isEqualTo(Duration.ofSeconds(30));
    assertThat(
            settings(Map.of("rebalance.hold", "1h", "session.timeout.ms", "6000"))
                .traits()
                .redeliveryBound())
        .isEqualTo(Duration.ofHours(1).plusSeconds(16));
  }

  @Test
  void aShareGroupThatWouldDropWhatNobodySawIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("share.delivery.count.limit", "4")))
        .withMessageContaining("share.delivery.count.limit");
  }

  @Test
  void anIpv6AddressStandsInBrackets() {
    String servers = "[::1]:9092,[fe80::1]:9093,b:9092";
    assertThat(settings(Map.of("bootstrap.servers", servers)).adminConfig())
        .containsEntry("bootstrap.servers", servers);
    for (String wrong : List.of("::1:9092", "[::1]", "[b]:x", "a:1,[::1]")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings(Map.of("bootstrap.servers", wrong)))
          .withMessageContaining("and an IPv6 address in brackets");
    }
  }

  @Test
  void aBrokerThatDoesNotAnswerIsNamedSoon() {
    try (DeadEndpoints endpoints = new DeadEndpoints()) {
      for (String endpoint : new String[] {endpoints.refusing(), endpoints.silent()}) {
        assertThatExceptionOfType(MqException.class)
            .isThrownBy(
                () ->
                    MqProvider.named("kafka")
                        .connect(Map.of("bootstrap.servers", endpoint, "connect.bound", "300ms")))
            .withMessageStartingWith("Kafka at " + endpoint + ": no broker answered");
      }
    }
  }
}
