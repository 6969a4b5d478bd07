package org.mqproof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraitsTest {

  @Test
  void promiseTheLeastUnlessTold() {
    Traits least = Traits.mode("acks=0").build();

    assertThat(least.durable()).isFalse();
    assertThat(least.copies()).isEqualTo(1);
    assertThat(least.replicationAwaited()).isFalse();
    assertThat(least.claimPeriod()).isEmpty();
    assertThat(least.ordering()).isEqualTo(Ordering.NONE);
    assertThat(least.release()).isEqualTo(Release.NONE);
    assertThat(least.mostHeaders()).isZero();
    assertThat(least.retention()).isEmpty();
    assertThat(least.powerCut()).isEqualTo(PowerCut.NOT_SHOWN);
    assertThat(least.notChecked()).containsExactly(Traits.EVERY_SETTING);
  }

  @Test
  void nameEveryTraitInTheirText() {
    Traits traits =
        Traits.mode("quorum")
            .durable(true)
            .copies(3)
            .replicationAwaited(true)
            .claimPeriod(Duration.ofSeconds(30))
            .redeliveryBound(Duration.ofSeconds(40))
            .ordering(Ordering.PER_SENDER)
            .ackMode(AckMode.WHOLE_PREFIX)
            .largestBodyBytes(1024)
            .mostInFlight(100)
            .callBound(Duration.ofSeconds(5))
            .release(Release.ANY_RECEIVER)
            .extendable(true)
            .mostHeaders(10)
            .largestHeadersBytes(8192)
            .retention(Duration.ofDays(14))
            .powerCut(PowerCut.LOST)
            .notChecked(List.of("policies"))
            .build();

    assertThat(traits)
        .hasToString(
            "Traits[mode=quorum, durable=true, copies=3, replicationAwaited=true,"
                + " claimPeriod=Optional[PT30S], redeliveryBound=PT40S, ordering=PER_SENDER,"
                + " ackMode=WHOLE_PREFIX, largestBodyBytes=1024, mostInFlight=100,"
                + " callBound=PT5S, release=ANY_RECEIVER, extendable=true, mostHeaders=10,"
                + " largestHeadersBytes=8192, retention=Optional[PT336H], powerCut=LOST,"
                + " notChecked=[policies]]");
  }

  @Test
  void claimsThatNeverEndAreExtendable() {
    assertThat(Traits.mode("m").build().extendable()).isTrue();
    assertThat(Traits.mode("m").claimPeriod(Duration.ofSeconds(1)).build().extendable()).isFalse();
  }

  @Test
  void refuseAwaitedReplicationOfASingleCopy() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Traits.mode("odd").replicationAwaited(true).build())
        .withMessage("replicationAwaited needs 2 copies, was 1");
  }

  @Test
  void refuseNumbersBelowOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Traits.mode("odd").mostInFlight(0).build())
        .withMessage("mostInFlight must be at least 1, was 0");
  }
}
