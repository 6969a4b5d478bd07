package org.mqproof.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.spi.Settings;

class SqsSettingsTest {

  static SqsSettings settings(Map<String, String> given) {
    return new SqsSettings(Settings.of(new SqsMqProvider(), given));
  }

  @Test
  void theDefaultClaimsNoMoreThanOneNodeCanKeep() {
    Traits traits = settings(Map.of()).traits();
    assertThat(traits.mode()).isEqualTo("sdk=v2");
    assertThat(traits.copies()).isEqualTo(1);
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.durable()).isTrue();
    assertThat(traits.ordering()).isEqualTo(Ordering.NONE);
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.claimPeriod()).contains(Duration.ofSeconds(30));
    assertThat(traits.redeliveryBound()).isEqualTo(Duration.ofSeconds(40));
    assertThat(traits.largestBodyBytes()).isEqualTo((192 << 10) - 45);
    assertThat(traits.mostHeaders()).isEqualTo(10);
    assertThat(traits.release()).isEqualTo(Release.ANY_RECEIVER);
    assertThat(traits.extendable()).isTrue();
    assertThat(traits.retention()).contains(Duration.ofDays(14));
    assertThat(traits.powerCut()).isEqualTo(PowerCut.NOT_SHOWN);
    assertThat(settings(Map.of("endpoint", "http://localhost:9324")).traits().powerCut())
        .isEqualTo(PowerCut.LOST);
    assertThat(traits.mostInFlight()).isEqualTo(120_000);
  }

  @Test
  void whoKnowsHowManyCopiesThereAreSaysSo() {
    Traits traits = settings(Map.of("copies", "3", "max.message.bytes", "1048576")).traits();
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits.largestBodyBytes()).isEqualTo((768 << 10) - 45);
  }

  @Test
  void aLongPollLeavesHalfOfTheClaim() {
    assertThat(settings(Map.of("claim.period", "5s")).longestWaitSeconds()).isEqualTo(2);
    assertThat(settings(Map.of("claim.period", "1s")).longestWaitSeconds()).isZero();
    assertThat(settings(Map.of("poll.wait", "20s")).longestWaitSeconds()).isEqualTo(15);
  }

  @Test
  void thereIsNoSettingForASecretOfTheService() {
    assertThat(SqsSettings.ALL)
        .filteredOn(setting -> !setting.key().startsWith("tls."))
        .noneMatch(setting -> setting.key().matches("(?i).*(secret|access|password|token).*"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("endpoint", "http://key:secret@host:1")))
        .withMessageContaining("setting endpoint");
  }

  @Test
  void whatSqsCannotCountIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("claim.period", "1500ms")))
        .withMessage("sqs: setting claim.period cannot be 1500 ms: SQS counts it in whole seconds");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connect.bound", "8s")))
        .withMessageContaining("at most a quarter of call.bound, 7500 ms");
    assertThatIllegalArgumentException().isThrownBy(() -> settings(Map.of("sdk", "v3")));
  }

  @Test
  void thereAreNoOptionsByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.x", "planted")))
        .withMessage("sqs: setting client.x is refused: the AWS SDK takes no options by name");
  }
}
