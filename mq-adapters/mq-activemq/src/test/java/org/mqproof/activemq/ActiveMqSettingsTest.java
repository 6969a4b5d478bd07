package org.mqproof.activemq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

class ActiveMqSettingsTest {

  private static ActiveMqSettings settings(Map<String, String> given) {
    ActiveMqMqProvider provider = new ActiveMqMqProvider();
    return new ActiveMqSettings(provider, Settings.of(provider, given));
  }

  private static Traits traits(Map<String, String> given) {
    return settings(given).shared().traits(Set.of());
  }

  @Test
  void theAddressSaysHowLongSilenceMayLast() {
    assertThat(settings(Map.of("silence.bound", "3s", "socket.buffer.bytes", "131072")).uri("h:1"))
        .startsWith("tcp://h:1?")
        .contains("wireFormat.maxInactivityDuration=3000")
        .contains("socketBufferSize=131072");
  }

  /** With it the broker stalls as soon as what is delivered but not acked fills a page. */
  @Test
  void theOptimisedAckCannotBeAskedFor() {
    for (String option : List.of("optimizeAcknowledge", "jms.optimizeAcknowledge")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings(Map.of(option, "true")))
          .withMessageContaining("unknown setting " + option);
      for (String address :
          List.of(
              "h:1?" + option + "=true",
              "h?" + option + "=true:1",
              "h?" + option + "=true&x:1",
              "h/?" + option + "=true#:1",
              "h:1,h?" + option + "=true:1",
              "failover:(tcp://h:1)?" + option + "=true")) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> settings(Map.of("addresses", address)))
            .withMessageContaining("addresses");
      }
    }
    for (Setting<?> setting : new ActiveMqMqProvider().settings()) {
      assertThat(setting.key()).doesNotContainIgnoringCase("optimi");
    }
    assertThat(new ActiveMQConnectionFactory(settings(Map.of()).uri("h:1")).isOptimizeAcknowledge())
        .isFalse();
  }

  @Test
  void aSharedStoreIsOneCopy() {
    Traits traits = traits(Map.of());
    assertThat(traits.copies()).isEqualTo(1);
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.durable()).isTrue();
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
        .isThrownBy(() -> MqProvider.named("activemq").connect(settings))
        .withMessageStartingWith("ActiveMQ at " + endpoint + ": no node serves: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jms.useAsyncSend                         | a confirm rests on it; setting send has it",
        "jms.optimizeAcknowledge                  | what an ack settles rests on it",
        "jms.redeliveryPolicy.maximumRedeliveries | what an ack settles rests on it",
        "jms.prefetchPolicy.all                   | setting prefetch has it",
        "jms.exclusiveConsumer                    | that receivers compete for single messages rests on it",
        "jms.useCompression                       | that bodies arrive unchanged rests on it",
        "jms.requestTimeout                       | that calls end in time rests on it; setting call.bound has it",
        "wireFormat.maxInactivityDuration         | when messages of a dead receiver come back rests on it; setting silence.bound has it",
        "trace                                    | it would log what is sent",
        "socketBufferSize                         | setting socket.buffer.bytes has it",
        "jms.password                             | setting password has it",
        "jms.x                                    | ActiveMQ's client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("activemq: setting client.%s is refused: %s", option, why);
  }

  @Test
  void aValueThatIsNotTakenIsShownOnlyIfItIsHarmless() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.wireFormat.maxFrameSize", "many")))
        .withMessage(
            "activemq: setting client.wireFormat.maxFrameSize cannot be 'many': ActiveMQ's client does not take it");
  }

  @Test
  void itsOwnOptionsReachTheClient() {
    ActiveMqSettings settings =
        settings(
            Map.of(
                "client.jms.connectionIDPrefix", "a b&c",
                "client.wireFormat.maxFrameSize", "70000",
                "client.socket.enabledProtocols", "TLSv1.3,TLSv1.2"));
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(settings.uri("h:1"));
    ActiveMqOptions.put(settings.get(ActiveMqSettings.CLIENT), factory);

    assertThat(settings.uri("h:1"))
        .containsPattern("[?&]wireFormat.maxFrameSize=70000")
        .contains("socket.enabledProtocols=TLSv1.3%2CTLSv1.2")
        .doesNotContain("jms.");
    assertThat(factory.isOptimizeAcknowledge()).isFalse();
  }
}
