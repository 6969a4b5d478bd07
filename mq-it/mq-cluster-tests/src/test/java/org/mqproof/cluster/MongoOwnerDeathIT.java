package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However the JVM that owns a MongoDB replica set ends, no node and no directory is left. */
class MongoOwnerDeathIT {

  @ParameterizedTest(name = "SIG{0}")
  @ValueSource(strings = {"TERM", "KILL"})
  void nothingIsLeftAfterASignal(String signal) throws Exception {
    try (Owner owner = new Owner("mongodb", "wait")) {
      assertThat(owner.processes).hasSize(3);
      assertThat(Processes.mentioning(owner.directory))
          .as("three nodes and the guard")
          .hasSizeGreaterThanOrEqualTo(4)
          .anyMatch(command -> command.contains("mongod.conf"));

      owner.endBy(signal);
    }
  }
}
