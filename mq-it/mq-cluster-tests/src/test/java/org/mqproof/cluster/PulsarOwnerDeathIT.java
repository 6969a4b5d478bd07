package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * When the JVM that owns a Pulsar cluster is killed, no node and no directory is left. Its other
 * ends are as with Kafka, whose nodes are processes of the same kind.
 */
@Tag("full")
class PulsarOwnerDeathIT {

  @Test
  void nothingIsLeftAfterSigkill() throws Exception {
    try (Owner owner = new Owner("pulsar", "wait")) {
      assertThat(owner.processes).hasSize(3);

      owner.endBy("KILL");
    }
  }
}
