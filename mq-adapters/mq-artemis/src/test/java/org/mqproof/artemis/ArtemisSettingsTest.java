package org.mqproof.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class ArtemisSettingsTest {

  private static ArtemisSettings settings(Map<String, String> given) {
    ArtemisMqProvider provider = new ArtemisMqProvider();
    return new ArtemisSettings(provider, Settings.of(provider, given));
  }

  private static Traits traits(Map<String, String> given) {
    return settings(given).shared().traits(Set.of());
  }

  @Test
  void aReplicatingPairIsTwoCopies() {
    Traits traits = traits(Map.of());
    assertThat(traits.copies()).isEqualTo(2);
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits(Map.of("copies", "1")).replicationAwaited()).isFalse();
  }

  @Test
  void aBrokerThatDoesNotAnswerIsNamedSoon() {
    try (DeadEndpoints endpoints = new DeadEndpoints()) {
      requireNamed(endpoints.refusing()); // loads the client's classes, before time is measured
      for (String endpoint : new String[] {endpoints.refusing(), endpoints.silent()}) {
        long start = System.nanoTime();
        requireNamed(endpoint);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      }
    }
  }

  private static void requireNamed(String endpoint) {
    Map<String, String> settings =
        Map.of(
            "addresses",
            endpoint,
            "connect.bound",
            "300ms",
            "call.bound",
            "3s",
            "silence.bound",
            "1s");
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> MqProvider.named("artemis").connect(settings))
        .withMessageStartingWith("Artemis at " + endpoint + ": no node serves: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "blockOnDurableSend     | a confirm rests on it; setting send has it",
        "confirmationWindowSize | a confirm rests on it; setting send has it",
        "preAcknowledge         | what an ack settles rests on it",
        "autoGroup              | that receivers compete for single messages rests on it",
        "compressLargeMessage   | that bodies arrive unchanged rests on it",
        "callTimeout            | that calls end in time rests on it; setting call.bound has it",
        "connectionTTL          | when messages of a dead receiver come back rests on it; setting silence.bound has it",
        "reconnectAttempts      | that a lost connection is an error rests on it; setting addresses has the nodes",
        "trustAll               | settings tls.* have it",
        "password               | setting password has it",
        "windowSize             | Artemis' client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("artemis: setting client.%s is refused: %s", option, why);
  }

  @Test
  void aValueThatIsNotTakenIsShownOnlyIfItIsHarmless() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.tcpSendBufferSize", "many")))
        .withMessage(
            "artemis: setting client.tcpSendBufferSize cannot be 'many': Artemis' client does not take it");
  }

  @Test
  void itsOwnOptionsReachTheClient() {
    Map<String, String> own =
        settings(
                Map.of(
                    "client.tcpSendBufferSize", "65536",
                    "client.enabledProtocols", "TLSv1.3",
                    "client.minLargeMessageSize", "70000"))
            .get(ArtemisSettings.CLIENT);
    Map<String, Object> connector = new HashMap<>();

    ArtemisOptions.putConnector(own, connector);
    try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory()) {
      ArtemisOptions.put(own, factory);

      assertThat(factory.getMinLargeMessageSize()).isEqualTo(70_000);
    }
    assertThat(connector)
        .isEqualTo(Map.of("tcpSendBufferSize", "65536", "enabledProtocols", "TLSv1.3"));
  }
}
