package org.mqproof.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.AckMode;
import org.mqproof.MqException;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class PulsarSettingsTest {

  private static PulsarSettings settings(Map<String, String> given) {
    return new PulsarSettings(Settings.of(new PulsarMqProvider(), given));
  }

  @Test
  void twoBookiesHaveAMessageThatIsConfirmed() {
    Traits traits = settings(Map.of()).traits();
    assertThat(traits.mode()).isEqualTo("ensemble=2,write.quorum=2,ack.quorum=2");
    assertThat(traits.copies()).isEqualTo(2);
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits.durable()).isTrue();
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.claimPeriod()).isEmpty();
    assertThat(traits.powerCut()).isEqualTo(PowerCut.SURVIVED);
    assertThat(traits.notChecked()).containsExactly("journalSyncData");
  }

  @Test
  void aSecondCopyThatNobodyWaitsForIsNoPromise() {
    Traits traits = settings(Map.of("ack.quorum", "1")).traits();
    assertThat(traits.copies()).isEqualTo(2);
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.powerCut()).isEqualTo(PowerCut.NOT_SHOWN);
  }

  @Test
  void eachModeHasANamespaceOfItsOwn() {
    assertThat(settings(Map.of()).topic("q")).isEqualTo("persistent://public/mqproof-2-2-2/q");
    assertThat(
            settings(Map.of("tenant", "t", "namespace", "n", "ensemble", "3", "write.quorum", "3"))
                .namespace())
        .isEqualTo("t/n-3-3-2");
  }

  @Test
  void aQuorumLargerThanWhatItIsOfIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("write.quorum", "3")))
        .withMessageContaining("write.quorum cannot be 3: it takes at most ensemble, 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("ack.quorum", "3")))
        .withMessageContaining("ack.quorum cannot be 3: it takes at most write.quorum, 2");
  }

  @Test
  void aKeepAliveThatOutlastsACallIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("keep.alive", "5s", "call.bound", "12s")))
        .withMessageContaining("at most a quarter of call.bound, 3000 ms");
  }

  @Test
  void everyBrokerHasItsAdministration() {
    assertThat(
            settings(
                    Map.of(
                        "admin.url", "https://a:1,b:2",
                        "service.url", "pulsar+ssl://a:3",
                        "tls", "true"))
                .adminUrls())
        .containsExactly(URI.create("https://a:1"), URI.create("https://b:2"));
  }

  @Test
  void theTokenIsNotInErrors() {
    PulsarSettings settings = settings(Map.of("token", "secret"));
    assertThat(settings.token()).contains("secret");
    assertThat(settings.endpoint()).isEqualTo("Pulsar at pulsar://localhost:6650");
    assertThat(settings(Map.of()).token()).isEmpty();
  }

  @Test
  void anEndpointThatRefusesIsNamed() {
    try (DeadEndpoints endpoints = new DeadEndpoints()) {
      String dead = endpoints.refusing();
      Map<String, String> given =
          Map.of("service.url", "pulsar://" + dead, "admin.url", "http://" + dead);
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> MqProvider.named("pulsar").connect(given))
          .withMessageContaining(dead);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "operationTimeoutMs       | that calls end in time rests on it; setting call.bound has it",
        "keepAliveIntervalSeconds | how soon a dead broker is noticed rests on it; setting keep.alive has it",
        "enableTransaction        | a confirm rests on it: there are no transactions here",
        "numIoThreads             | that no thread outlives an Mq rests on it",
        "serviceUrl               | setting service.url has it",
        "ackTimeoutMillis         | Pulsar's client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("pulsar: setting client.%s is refused: %s", option, why);
  }

  @Test
  void aValueThatIsNotTakenIsShownOnlyIfItIsHarmless() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.connectionsPerBroker", "many")))
        .withMessage(
            "pulsar: setting client.connectionsPerBroker cannot be 'many': Pulsar's client does not take it");
  }

  @ParameterizedTest
  @CsvSource({
    "pulsar+ssl://a:1, http://a:2, false",
    "pulsar://a:1, https://a:2, false",
    "pulsar://a:1, http://a:2, true",
    "pulsar+ssl://a:1, http://a:2, true",
  })
  void addressesSayWhetherThereIsTls(String service, String admin, String tls) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("service.url", service, "admin.url", admin, "tls", tls)))
        .withMessage(
            "pulsar: settings tls=true, service.url=pulsar+ssl://... and admin.url=https://... go"
                + " together");
    assertThat(
            settings(
                    Map.of(
                        "service.url",
                        "pulsar+ssl://a:1",
                        "admin.url",
                        "https://a:2",
                        "tls",
                        "true"))
                .tls())
        .isPresent();
  }
}
