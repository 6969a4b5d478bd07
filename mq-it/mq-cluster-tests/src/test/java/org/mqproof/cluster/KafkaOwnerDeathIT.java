package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However the JVM that owns a Kafka cluster ends, no broker and no directory is left. */
class KafkaOwnerDeathIT {

  @Test
  void nothingIsLeftAfterSigkill() throws Exception {
    nothingIsLeftAfter("KILL");
  }

  @Test
  @Tag("full") // the JVM closes the cluster, as each test class does
  void nothingIsLeftAfterSigterm() throws Exception {
    nothingIsLeftAfter("TERM");
  }

  private static void nothingIsLeftAfter(String signal) throws Exception {
    try (Owner owner = new Owner("kafka", "wait")) {
      assertThat(owner.processes).hasSize(3);

      owner.endBy(signal);
    }
  }
}
