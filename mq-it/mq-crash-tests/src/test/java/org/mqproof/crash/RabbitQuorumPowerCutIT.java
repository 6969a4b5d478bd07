package org.mqproof.crash;

import java.util.Map;

/** A majority has written to its log, and awaited it, before a quorum queue confirms. */
class RabbitQuorumPowerCutIT extends PowerCutTests {

  RabbitQuorumPowerCutIT() {
    super("rabbitmq", RabbitCrashTests.withBounds(Map.of("queue.type", "quorum")), true);
  }
}
