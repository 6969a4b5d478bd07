package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** However the JVM that owns a Kafka cluster ends, no broker and no directory is left. */
class KafkaOwnerDeathIT extends OwnerDeathTests {

  @Override
  void nothingIsLeftAfter(String signal) throws Exception {
    try (Owner owner = new Owner("kafka", "wait")) {
      assertThat(owner.processes).hasSize(3);

      owner.endBy(signal);
    }
  }
}
