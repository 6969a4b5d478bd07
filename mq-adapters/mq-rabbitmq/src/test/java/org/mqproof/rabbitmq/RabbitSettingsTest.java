package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.AckMode;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Outcome;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class RabbitSettingsTest {

  private static final int FRAME_MAX = 131_072;

  private static RabbitSettings settings(Map<String, String> given) {
    return new RabbitSettings(Settings.of(new RabbitMqProvider(), given));
  }

  @Test
  void aQuorumQueueAwaitsReplication() {
    Traits traits = settings(Map.of()).traits(FRAME_MAX);
    assertThat(traits.mode()).isEqualTo("queue.type=quorum,confirm=publisher-confirms");
    assertThat(traits.copies()).isEqualTo(3);
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits.durable()).isTrue();
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.ordering()).isEqualTo(Ordering.PER_SENDER);
    assertThat(traits.claimPeriod()).isEmpty();
    assertThat(traits.mostInFlight()).isEqualTo(1_000);
    assertThat(traits.release()).isEqualTo(Release.SAME_RECEIVER);
    assertThat(traits.extendable()).isTrue();
    assertThat(traits.mostHeaders()).isEqualTo(1_000);
    assertThat(traits.largestHeadersBytes()).isEqualTo(65_536);
    assertThat(traits.powerCut()).isEqualTo(PowerCut.SURVIVED);
  }

  @Test
  void aTransactionDoesNotAwaitAQuorum() {
    Traits traits = settings(Map.of("confirm", "transactions")).traits(FRAME_MAX);
    assertThat(traits.copies()).isEqualTo(3);
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.powerCut()).isEqualTo(PowerCut.NOT_SHOWN);
  }

  @Test
  void aClassicQueueHasOneCopy() {
    Traits traits =
        settings(Map.of("queue.type", "classic", "queue.version", "1", "confirm", "transactions"))
            .traits(FRAME_MAX);
    assertThat(traits.mode()).isEqualTo("queue.type=classic,confirm=transactions,queue.version=1");
    assertThat(traits.copies()).isEqualTo(1);
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.durable()).isTrue();
  }

  @Test
  void aMirroredQueueHasTheNameThatThePolicyMirrors() {
    RabbitSettings mirrored = settings(Map.of("queue.type", "classic-mirrored"));
    assertThat(mirrored.physicalName("q")).isEqualTo("mirrored.q");
    assertThat(mirrored.traits(FRAME_MAX).replicationAwaited()).isTrue();
    assertThat(settings(Map.of()).physicalName("q")).isEqualTo("q");
  }

  @Test
  void aQuorumQueueNeverDropsAMessageForItsDeliveries() {
    RabbitSettings quorum = settings(Map.of("copies", "5"));
    assertThat(quorum.queueArguments(4))
        .containsOnly(
            Map.entry("x-queue-type", "quorum"),
            Map.entry("x-quorum-initial-group-size", 5),
            Map.entry("x-delivery-limit", -1));
    assertThat(quorum.queueArguments(3)).doesNotContainKey("x-delivery-limit");
  }

  @Test
  void theBrokerIsToldOfAConsumerTimeoutOnlyIfOneIsGiven() {
    assertThat(settings(Map.of()).queueArguments(3)).doesNotContainKey("x-consumer-timeout");
    assertThat(settings(Map.of("consumer.timeout", "12h")).queueArguments(3))
        .containsEntry("x-consumer-timeout", 43_200_000L);
  }

  @Test
  void aClassicQueueIsDeclaredWithItsVersion() {
    assertThat(settings(Map.of("queue.type", "classic")).queueArguments(3))
        .containsOnly(Map.entry("x-queue-type", "classic"), Map.entry("x-queue-version", 2));
  }

  @Test
  void aPlainQueueAsksForNothingThatIsRabbitMqsOwn() {
    RabbitSettings plain = settings(Map.of("queue.type", "plain"));
    assertThat(plain.queueArguments(4)).isEmpty();
    assertThat(plain.physicalName("q")).isEqualTo("q");
    assertThat(plain.meaningOfNack()).isEqualTo(Outcome.UNKNOWN);
    Traits traits = plain.traits(FRAME_MAX);
    assertThat(traits.mode()).isEqualTo("queue.type=plain,confirm=publisher-confirms");
    assertThat(traits.durable()).isTrue();
    assertThat(traits.copies()).isEqualTo(1);
    assertThat(traits.replicationAwaited()).isFalse();
  }

  @Test
  void onlyAQuorumQueuesNackIsCertain() {
    assertThat(settings(Map.of()).meaningOfNack()).isEqualTo(Outcome.REJECTED);
    assertThat(settings(Map.of("queue.type", "classic")).meaningOfNack())
        .isEqualTo(Outcome.UNKNOWN);
    assertThat(settings(Map.of("queue.type", "classic-mirrored")).meaningOfNack())
        .isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void boundsThatDoNotFitTheCallAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("call.bound", "10s", "connect.bound", "1s")))
        .withMessage(
            "rabbitmq: setting heartbeat cannot be 5000 ms: it takes at most a quarter of"
                + " call.bound, 2500 ms");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connect.bound", "8s")))
        .withMessageContaining("connect.bound cannot be 8000 ms");
  }

  @Test
  void unknownAndMalformedSettingsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("adresses", "h:1")))
        .withMessageContaining("unknown setting adresses");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("queue.type", "stream")))
        .withMessageContaining(
            "it takes quorum or classic or classic-mirrored or plain (default quorum)");
    assertThatIllegalArgumentException().isThrownBy(() -> settings(Map.of("prefetch", "0")));
    assertThatIllegalArgumentException().isThrownBy(() -> settings(Map.of("queue.version", "3")));
  }

  @Test
  void nodesThatDoNotAnswerAreNamedWithinTheBoundAndTheirPasswordIsNot() {
    try (DeadEndpoints endpoints = new DeadEndpoints()) {
      String both = endpoints.refusing() + "," + endpoints.silent();
      long start = System.nanoTime();
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(
              () ->
                  MqProvider.named("rabbitmq")
                      .connect(
                          Map.of(
                              "addresses",
                              both,
                              "connect.bound",
                              "300ms",
                              "username",
                              "somebody",
                              "password",
                              "s3cret")))
          .withMessageStartingWith("RabbitMQ at " + both + ": no node answered within 300 ms")
          .satisfies(e -> assertThat(e).hasMessageNotContaining("s3cret"))
          .satisfies(e -> assertThat(e.getCause()).hasMessageNotContaining("s3cret"));
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "connection.recovery.enabled | that no confirm is lost rests on it: a lost connection is an error, and not a gap",
        "connection.heartbeat        | when messages of a dead receiver come back rests on it; setting heartbeat has it",
        "channel.rpc.timeout         | that calls end in time rests on it; setting call.bound has it",
        "ssl.trust.store             | settings tls.* have it",
        "use.nio                     | connections are this adapter's own",
        "password                    | setting password has it",
        "frame.max                   | RabbitMQ's client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("rabbitmq: setting client.%s is refused: %s", option, why);
  }

  @Test
  void aValueThatIsNotTakenIsShownOnlyIfItIsHarmless() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.connection.frame.max", "many")))
        .withMessage(
            "rabbitmq: setting client.connection.frame.max cannot be 'many': RabbitMQ's client does not take it");
  }

  @Test
  void itsOwnOptionsReachTheClient() {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername("me");

    RabbitOptions.put(
        settings(
                Map.of(
                    "client.connection.frame.max", "70000",
                    "client.client.properties.team", "blue"))
            .get(RabbitSettings.CLIENT),
        factory);

    assertThat(factory.getRequestedFrameMax()).isEqualTo(70_000);
    assertThat(factory.getClientProperties()).containsEntry("team", "blue").containsKey("product");
    assertThat(factory.getUsername()).isEqualTo("me");
  }
}
