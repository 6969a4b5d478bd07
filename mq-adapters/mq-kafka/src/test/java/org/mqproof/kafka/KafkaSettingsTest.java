package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    assertThat(settings(Map.of()).traits().redeliveryBound()).isEqualTo(Duration.ofSeconds(50));
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
