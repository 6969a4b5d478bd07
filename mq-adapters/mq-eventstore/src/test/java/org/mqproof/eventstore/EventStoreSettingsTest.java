package org.mqproof.eventstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.AckMode;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class EventStoreSettingsTest {

  private static EventStoreSettings settings(Map<String, String> given) {
    return new EventStoreSettings(Settings.of(new EventStoreMqProvider(), given));
  }

  @Test
  void aConfirmAwaitsMostOfTheCluster() {
    Traits traits = settings(Map.of()).traits();
    assertThat(traits.mode()).isEqualTo("appends.in.flight=16,consumer.strategy=round-robin");
    assertThat(traits.durable()).isTrue();
    assertThat(traits.copies()).isEqualTo(3);
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits.claimPeriod()).contains(Duration.ofSeconds(30));
    assertThat(traits.redeliveryBound()).isEqualTo(Duration.ofSeconds(65));
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.ordering()).isEqualTo(Ordering.NONE);
    assertThat(traits.mostInFlight()).isEqualTo(1_000);
    assertThat(traits.largestBodyBytes()).isEqualTo((1 << 20) - 64);
  }

  @Test
  void oneNodeHasNoCopies() {
    assertThat(settings(Map.of("copies", "1")).traits().replicationAwaited()).isFalse();
  }

  @Test
  void oneAppendAfterTheOtherKeepsTheOrder() {
    Traits traits = settings(Map.of("appends.in.flight", "1")).traits();
    assertThat(traits.ordering()).isEqualTo(Ordering.PER_SENDER);
    assertThat(traits.mode()).startsWith("appends.in.flight=1,");
  }

  /** The 2017 study's own sizes, both 1,000, are refused by today's servers. */
  @Test
  void aReadIsSmallerThanTheHistoryBuffer() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> settings(Map.of("read.batch.size", "1000", "history.buffer.size", "1000")))
        .withMessage(
            "eventstore: setting read.batch.size cannot be 1000: it takes less than"
                + " history.buffer.size, 1000");
  }

  @Test
  void boundsFitIntoTheBoundOfACall() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connect.bound", "9s")))
        .withMessage(
            "eventstore: setting connect.bound cannot be 9000 ms: it takes at most a quarter of"
                + " call.bound, 7500 ms");
  }

  @Test
  void theMarginIsATenthOfTheClaimPeriodOrFiveSeconds() {
    assertThat(settings(Map.of("claim.period", "4s")).claimMargin())
        .isEqualTo(Duration.ofMillis(400));
    assertThat(settings(Map.of("claim.period", "10m")).claimMargin())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void noSettingTakesAPassword() {
    assertThat(new EventStoreMqProvider().settings())
        .noneMatch(setting -> setting.key().contains("password"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("credentials", "bob:secret")));
  }

  @Test
  void nobodyThereIsAnErrorThatNamesTheEndpoint() {
    try (DeadEndpoints endpoints = new DeadEndpoints()) {
      MqProvider provider = MqProvider.named("eventstore");
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(
              () -> provider.connect(Map.of("addresses", endpoints.refusing(), "tls", "false")))
          .withMessageStartingWith(
              "EventStore at " + endpoints.refusing() + ": cannot connect: UNAVAILABLE");
    }
  }

  @Test
  void thereAreNoOptionsByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.x", "planted")))
        .withMessage(
            "eventstore: setting client.x is refused: the gRPC channel takes no options by name");
  }

  @Test
  void aConnectionStringHasNodesUserAndTls() {
    EventStoreSettings settings =
        settings(
            Map.of("connection.string", "esdb://bob:3%25cret@a:1,b?tls=true&tlsCaFile=/x%20y.pem"));

    assertThat(settings.endpoint()).isEqualTo("EventStore at a:1,b:2113");
    assertThat(settings.addresses()).hasSize(2);
    assertThat(settings.tls()).isTrue();
    assertThat(settings.caFile()).contains("/x y.pem");
    assertThat(settings.credentials().orElseThrow().header()).isEqualTo("Basic Ym9iOjMlY3JldA==");
    EventStoreSettings plain = settings(Map.of("connection.string", "kurrentdb://a?tls=false"));
    assertThat(plain.tls()).isFalse();
    assertThat(plain.caFile()).isEmpty();
    assertThat(plain.credentials()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "esdb+discover://bob:planted@a | cannot be what it is: it takes esdb://",
        "http://bob:planted@a          | cannot be what it is: it takes esdb://",
        "esdb://bob:planted@a:b        | cannot be what it is: it takes esdb://",
        "esdb://a?tlsVerifyCert=planted | has the option 'tlsVerifyCert', and only tls and tlsCaFile",
      })
  void aConnectionStringOfAnotherFormIsRefusedUnseen(String text, String says) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connection.string", text)))
        .withMessageStartingWith("eventstore: setting connection.string " + says)
        .withMessageNotContaining("planted");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connection.string", "esdb://a", "tls", "false")))
        .withMessage(
            "eventstore: settings connection.string and tls are both given: one is enough");
  }
}
