package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * When the JVM that owns an ElasticMQ is killed, no node and no directory is left. Its other ends
 * are as with Kafka, whose nodes are ended as these are.
 */
class ElasticMqOwnerDeathIT {

  @Test
  void nothingIsLeftAfterSigkill() throws Exception {
    try (Owner owner = new Owner("sqs", "wait")) {
      assertThat(owner.processes).hasSize(1);

      owner.endBy("KILL");
    }
  }
}
