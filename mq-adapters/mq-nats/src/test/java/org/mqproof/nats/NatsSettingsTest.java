package org.mqproof.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nats.client.Options;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.spi.Settings;

class NatsSettingsTest {

  private static final int MIB = 1 << 20;

  private static NatsSettings settings(Map<String, String> given) {
    return new NatsSettings(Settings.of(new NatsMqProvider(), given));
  }

  @ParameterizedTest
  @CsvSource({"3, true", "2, true", "1, false"})
  void replicasAreWhatAConfirmIsWorth(int replicas, boolean awaited) {
    Traits traits = settings(Map.of("replicas", "" + replicas)).traits(MIB);

    assertThat(traits.mode()).isEqualTo("replicas=" + replicas);
    assertThat(traits.copies()).isEqualTo(replicas);
    assertThat(traits.replicationAwaited()).isEqualTo(awaited);
    assertThat(traits.powerCut()).isEqualTo(PowerCut.LOST);
  }

  @Test
  void theLargestMessageFitsWithTheLargestHeaders() {
    Traits traits = settings(Map.of()).traits(MIB);

    assertThat(traits.largestHeadersBytes()).isEqualTo(16_384);
    assertThat(traits.largestBodyBytes())
        .isEqualTo(MIB - HeaderText.mostMoreBytes(traits.mostHeaders(), 16_384));
  }

  @Test
  void aClaimHidesForThePeriodAndUntilItIsHandedOut() {
    assertThat(settings(Map.of("claim.period", "20s")).bounds().hidden()).hasSeconds(25);
  }

  @ParameterizedTest
  @ValueSource(strings = {"one:4222", "10.0.0.1:1,two:65535", "[::1]:4222,[fe80::1]:4223"})
  void serversAreHostsAndPorts(String servers) {
    assertThat(settings(Map.of("servers", servers)).servers()).containsExactly(servers.split(","));
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "nats://one:4222", "user@one:4222", "one:4222,", "::1:4222"})
  void anythingElseIsRefused(String servers) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("servers", servers)))
        .withMessageContaining("nats: setting servers cannot be");
  }

  @ParameterizedTest
  @CsvSource({
    "password, p, password, p, setting password is of no use without username",
    "username, u, token, t, settings username and token exclude each other",
    "connect.bound, 8s, call.bound, 12s, 'setting connect.bound cannot be 8000 ms: it takes at most"
        + " a quarter of call.bound, 3000 ms'",
  })
  void whatDoesNotGoTogetherIsRefused(
      String key, String value, String otherKey, String otherValue, String says) {
    Map<String, String> given = new HashMap<>(Map.of(key, value));
    given.put(otherKey, otherValue);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(given))
        .withMessage("nats: " + says);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "io.nats.client.reconnect.max                 | what is known of a send rests on it",
        "io.nats.client.outgoingqueue.discardwhenfull | what is known of a send rests on it",
        "io.nats.client.nonoresponders                | what is known of a send rests on it",
        "io.nats.client.timeout                       | that calls end in time rests on it; setting connect.bound has it",
        "io.nats.client.maxpings                      | that calls end in time rests on it; setting call.bound has it",
        "io.nats.client.opentls                       | settings tls.* have it",
        "io.nats.client.password                      | setting password has it",
        "executor.service.class                       | that no thread outlives an Mq rests on it",
        "io.nats.client.x                             | NATS' client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("nats: setting client.%s is refused: %s", option, why);
  }

  @Test
  void itsOwnOptionsReachTheClient() {
    Options options =
        NatsOptions.builder(
                settings(
                        Map.of(
                            "client.io.nats.client.socket.so.linger", "7",
                            "client.inbox.prefix", "_MINE."))
                    .get(NatsSettings.CLIENT))
            .build();

    assertThat(options.getSocketSoLinger()).isEqualTo(7);
    assertThat(options.getInboxPrefix()).isEqualTo("_MINE.");
  }
}
