package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However the JVM that owns a RabbitMQ cluster ends, no node, no epmd and no directory is left. */
class RabbitOwnerDeathIT {

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
    try (Owner owner = new Owner("rabbitmq", "wait")) {
      assertThat(owner.processes).hasSize(3);
      assertThat(Processes.mentioning(owner.directory))
          .as("three nodes, what each of them has started, epmd and the guard")
          .hasSizeGreaterThanOrEqualTo(8)
          .anyMatch(command -> command.contains("epmd"))
          .anyMatch(command -> command.contains("erl_child_setup"));

      owner.endBy(signal);
    }
  }
}
