package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When the JVM that owns a pair is killed, no broker and no directory is left. Its other ends are
 * as with Kafka, whose nodes are ended as these are.
 */
class PairOwnerDeathIT {

  @ParameterizedTest
  @ValueSource(strings = {"activemq", "artemis"})
  void nothingIsLeftAfterSigkill(String system) throws Exception {
    try (Owner owner = new Owner(system, "wait")) {
      assertThat(owner.processes).hasSize(2);

      owner.endBy("KILL");
    }
  }
}
