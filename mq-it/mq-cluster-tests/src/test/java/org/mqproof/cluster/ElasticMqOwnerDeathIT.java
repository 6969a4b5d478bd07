package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However the JVM that owns an ElasticMQ ends, no node and no directory is left. */
class ElasticMqOwnerDeathIT {

  @ParameterizedTest(name = "SIG{0}")
  @ValueSource(strings = {"TERM", "KILL"})
  void nothingIsLeftAfterASignal(String signal) throws Exception {
    try (Owner owner = new Owner("sqs", "wait")) {
      assertThat(owner.processes).hasSize(1);

      owner.endBy(signal);
    }
  }
}
