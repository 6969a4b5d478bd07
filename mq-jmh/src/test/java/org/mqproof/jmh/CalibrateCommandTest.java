package org.mqproof.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CalibrateCommandTest {

  @Test
  void theCeilingHasTheSameLoadAndNothingOfTheSystem() {
    assertThat(
            CalibrateCommand.ceiling(
                List.of(
                    ("ReceiveBenchmark -t 2 -p system=kafka -p settings=a=b -p mode=c=d"
                            + " -p rttMillis=10 -p prefill=1000 -rf json -rff x.json -f 2")
                        .split(" "))))
        .containsExactly(
            ("ReceiveBenchmark -t 2 -p prefill=1000 -f 2 -p system=memory"
                    + " -p settings=capacity=50000000")
                .split(" "));
  }
}
