package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrialParamsTest {

  @Test
  void modeGoesOverSettings() {
    TrialParams params =
        TrialParams.of(
            Map.of("system", "broken", "settings", "fault=none;x=1", "mode", "fault=lose"));

    assertThat(params.settings()).isEqualTo(Map.of("fault", "lose", "x", "1"));
  }

  @Test
  void withoutASystemTheNamesAreListed() {
    assertThatThrownBy(() -> TrialParams.of(Map.of("system", "")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-p system=")
        .hasMessageContaining("broken");
  }

  @Test
  void anUnknownSystemIsRefusedWithTheNamesThereAre() {
    assertThatThrownBy(() -> TrialParams.of(Map.of("system", "brokn")))
        .hasMessageContaining("'brokn'")
        .hasMessageContaining("broken");
  }

  @Test
  void whatOnlySendsEmptiesItsQueueByBatches() {
    Map<String, String> ofSendBenchmark = Map.of("system", "broken", "batch", "1");

    assertThat(TrialParams.of(ofSendBenchmark).receiveMax()).isEqualTo(1_000);
  }

  @Test
  void theLeadInIsAQuarterOfThePrefillUnlessItIsSet() {
    Map<String, String> params =
        new HashMap<>(Map.of("system", "broken", "prefill", "1000", "leadIn", "auto"));
    assertThat(TrialParams.of(params).leadIn()).isEqualTo(250);

    params.put("leadIn", "7");
    assertThat(TrialParams.of(params).leadIn()).isEqualTo(7);

    params.put("leadIn", "-1");
    assertThatThrownBy(() -> TrialParams.of(params)).hasMessageStartingWith("leadIn cannot be");
  }

  @Test
  void aBodyMustHoldTheStamp() {
    assertThatThrownBy(() -> TrialParams.of(Map.of("system", "broken", "bodyBytes", "31")))
        .hasMessageContaining("from 32")
        .hasMessageContaining("ledger=false");
    assertThat(
            TrialParams.of(Map.of("system", "broken", "bodyBytes", "31", "ledger", "false"))
                .bodyBytes())
        .isEqualTo(31);
  }

  @Test
  void whatIsNoNumberOrNoBooleanIsRefusedByName() {
    assertThatThrownBy(() -> TrialParams.of(Map.of("system", "broken", "backlog", "many")))
        .hasMessageStartingWith("backlog cannot be 'many'");
    assertThatThrownBy(() -> TrialParams.of(Map.of("system", "broken", "async", "yes")))
        .hasMessage("async cannot be 'yes': it takes true or false");
  }
}
