package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** However the JVM that owns a RabbitMQ cluster ends, no node, no epmd and no directory is left. */
class RabbitOwnerDeathIT extends OwnerDeathTests {

  @Override
  void nothingIsLeftAfter(String signal) throws Exception {
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
