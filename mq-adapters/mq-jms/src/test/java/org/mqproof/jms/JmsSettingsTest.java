package org.mqproof.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.Traits;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class JmsSettingsTest {

  private static Traits traits(Map<String, String> given) {
    MqProvider provider = new JmsMqTest.Provider(new FakeBroker());
    return new JmsSettings("Fake", provider, Settings.of(provider, given), JmsMqTest.COPIES)
        .traits(Set.of());
  }

  @Test
  void theDefaultIsOneTransactionPerBatch() {
    Traits traits = traits(Map.of());
    assertThat(traits.mode()).isEqualTo("send=transacted");
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.ordering()).isEqualTo(Ordering.PER_SENDER);
    assertThat(traits.claimPeriod()).isEmpty();
    assertThat(traits.mostInFlight()).isEqualTo(1_000);
  }

  @Test
  void theOtherModesAreNamed() {
    assertThat(traits(Map.of("send", "per-message")).mode()).isEqualTo("send=per-message");
    assertThat(traits(Map.of("send", "async")).mode()).isEqualTo("send=async");
  }

  @Test
  void prefetchIsWhatOneReceiverCanHold() {
    assertThat(traits(Map.of("prefetch", "7")).mostInFlight()).isEqualTo(7);
  }

  @Test
  void silenceMustEndBeforeTheCallThatWaitsForIt() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> traits(Map.of("call.bound", "9s", "silence.bound", "4s")))
        .withMessage(
            "fake: setting silence.bound cannot be PT4S: it takes at most a third of call.bound,"
                + " PT3S");
  }
}
