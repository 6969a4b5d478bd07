package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MachineTimeTest {

  private static final String PRESSURE = "some avg10=0.00 avg60=0.00 avg300=0.00 total=";

  @Test
  void theShareThatTheHostTookIsThatOfAllProcessorTime() {
    MachineTime start = MachineTime.of("cpu  100 0 50 800 40 5 5 0 0 0", PRESSURE + "1000", 0);
    MachineTime end =
        MachineTime.of("cpu  150 0 60 820 40 5 5 20 0 0", PRESSURE + "251000", 1_000_000_000);
    MachineTime used = end.since(start);

    assertThat(used.stealShare()).isEqualTo(0.2);
    assertThat(used.pressureShare()).isCloseTo(0.25, within(1e-9));
    MachineTime quiet = new MachineTime(100, 0, 1_000_000_000, 0);
    assertThat(used.plus(quiet).stealShare()).isEqualTo(0.1);
    assertThat(used.plus(quiet).pressureShare()).isCloseTo(0.125, within(1e-9));
  }

  @Test
  void whatTheKernelDoesNotSayIsNotKnown() {
    MachineTime used = MachineTime.of("", "", 5).since(MachineTime.of("", "", 1));

    assertThat(used.stealShare()).isNull();
    assertThat(used.pressureShare()).isNull();
    assertThat(MachineTime.NONE.plus(used).pressureShare()).isNull();
  }

  @Test
  void thisMachineCountsOn() throws InterruptedException {
    MachineTime start = MachineTime.now();
    Thread.sleep(50);
    MachineTime used = MachineTime.now().since(start);

    assertThat(used.ticks()).isNotNegative();
    assertThat(used.nanos()).isPositive();
  }
}
