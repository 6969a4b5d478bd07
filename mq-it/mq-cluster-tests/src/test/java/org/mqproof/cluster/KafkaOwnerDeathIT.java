package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However the JVM that owns a Kafka cluster ends, no broker and no directory is left. */
class KafkaOwnerDeathIT {

  @ParameterizedTest(name = "SIG{0}")
  @ValueSource(strings = {"TERM", "KILL"})
  void nothingIsLeftAfterASignal(String signal) throws Exception {
    try (Owner owner = new Owner("kafka", "wait")) {
      assertThat(owner.processes).hasSize(3);

      owner.endBy(signal);
    }
  }
}
