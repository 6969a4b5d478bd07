package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However the JVM that owns a pair ends, no broker and no directory is left. */
class PairOwnerDeathIT {

  @ParameterizedTest(name = "{0} SIG{1}")
  @CsvSource({
    "activemq, TERM", "activemq, KILL",
    "artemis, TERM", "artemis, KILL"
  })
  void nothingIsLeftAfterASignal(String system, String signal) throws Exception {
    try (Owner owner = new Owner(system, "wait")) {
      assertThat(owner.processes).hasSize(2);

      owner.endBy(signal);
    }
  }
}
