package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BuildUpTest {

  private long sent = 70; // of earlier iterations
  private long received = 70;
  private long nanos = -3;
  private final BuildUp buildUp = new BuildUp(100, () -> sent, () -> received, () -> nanos);

  @Test
  void receiversWaitUntilTheBacklogIsThereAndTheTimeUntilItIsGoneIsTaken() {
    buildUp.begin(true);
    sent += 99;
    assertThat(buildUp.holdsReceivers()).isTrue();

    nanos += 1_000;
    sent += 1;
    assertThat(buildUp.holdsReceivers()).isFalse();

    nanos += 500;
    sent += 50; // the senders go on
    received += 140;
    assertThat(buildUp.holdsReceivers()).isFalse();
    assertThat(buildUp.drained()).as("10 are left").isEmpty();

    nanos += 100;
    received += 9;
    assertThat(buildUp.holdsReceivers()).isFalse();

    assertThat(buildUp.drained()).containsExactly(new BuildUp.Drained(1_000, 600, 50, 149));
    assertThat(buildUp.iterations()).isEqualTo(1);
  }

  @Test
  void warmUpBuildsNothing() {
    buildUp.begin(false);

    assertThat(buildUp.holdsReceivers()).isFalse();
    assertThat(buildUp.iterations()).isZero();
  }

  @Test
  void whatIsNotDrainedWithinItsIterationHasNoTime() {
    buildUp.begin(true);
    sent += 100;
    assertThat(buildUp.holdsReceivers()).isFalse();
    buildUp.end();
    received += 100;

    assertThat(buildUp.holdsReceivers()).isFalse();
    assertThat(buildUp.drained()).isEmpty();
    assertThat(buildUp.iterations()).isEqualTo(1);
  }

  @Test
  void withoutABacklogToBuildNobodyWaits() {
    BuildUp none = new BuildUp(0, () -> sent, () -> received, () -> nanos);
    none.begin(true);

    assertThat(none.holdsReceivers()).isFalse();
    assertThat(none.iterations()).isZero();
  }
}
