package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * When the JVM that owns a MongoDB replica set is killed, no node and no directory is left. Its
 * other ends are as with Kafka, whose nodes are ended as these are.
 */
class MongoOwnerDeathIT {

  @Test
  void nothingIsLeftAfterSigkill() throws Exception {
    try (Owner owner = new Owner("mongodb", "wait")) {
      assertThat(owner.processes).hasSize(3);
      assertThat(Processes.mentioning(owner.directory))
          .as("three nodes and the guard")
          .hasSizeGreaterThanOrEqualTo(4)
          .anyMatch(command -> command.contains("mongod.conf"));

      owner.endBy("KILL");
    }
  }
}
