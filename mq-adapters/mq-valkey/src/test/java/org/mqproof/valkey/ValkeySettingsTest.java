package org.mqproof.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.spi.Settings;

class ValkeySettingsTest {

  private static ValkeySettings settings(Map<String, String> given) {
    return new ValkeySettings(Settings.of(new ValkeyMqProvider(), given));
  }

  @ParameterizedTest
  @CsvSource({
    "wait, 1, false, true, LOST",
    "wait, 0, false, false, LOST",
    "waitaof, 1, true, true, SURVIVED",
    "waitaof, 0, true, false, SURVIVED",
  })
  void whatIsWaitedForIsWhatAConfirmIsWorth(
      String confirm, String replicas, boolean durable, boolean replicated, PowerCut powerCut) {
    Traits traits = settings(Map.of("confirm", confirm, "wait.replicas", replicas)).traits();

    assertThat(traits.mode()).isEqualTo("confirm=" + confirm);
    assertThat(traits.durable()).isEqualTo(durable);
    assertThat(traits.replicationAwaited()).isEqualTo(replicated);
    assertThat(traits.powerCut()).isEqualTo(powerCut);
    assertThat(traits.copies()).isEqualTo(1 + Integer.parseInt(replicas));
  }

  @Test
  void aClaimHidesForThePeriodAndUntilItIsHandedOut() {
    assertThat(settings(Map.of("claim.period", "20s")).bounds().hidden()).hasSeconds(25);
  }

  @ParameterizedTest
  @ValueSource(strings = {"one:6379", "10.0.0.1:1,two:65535", "[::1]:6379,[fe80::1]:6380"})
  void addressesAreHostsAndPorts(String addresses) {
    assertThat(settings(Map.of("addresses", addresses)).addresses())
        .containsExactly(addresses.split(","));
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "redis://one:6379", "user@one:6379", "one:6379,", "::1:6379"})
  void anythingElseIsRefused(String addresses) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("addresses", addresses)))
        .withMessageContaining("valkey: setting addresses cannot be");
  }

  @ParameterizedTest
  @CsvSource({
    "username, u, confirm, wait, setting username is of no use without password",
    "connect.bound, 8s, call.bound, 12s, 'setting connect.bound cannot be 8000 ms: it takes at most"
        + " a quarter of call.bound, 3000 ms'",
  })
  void whatDoesNotGoTogetherIsRefused(
      String key, String value, String otherKey, String otherValue, String says) {
    Map<String, String> given = new HashMap<>(Map.of(key, value));
    given.put(otherKey, otherValue);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(given))
        .withMessage("valkey: " + says);
  }
}
