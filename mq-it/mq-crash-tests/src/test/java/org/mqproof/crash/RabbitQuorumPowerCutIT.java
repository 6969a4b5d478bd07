package org.mqproof.crash;

import java.util.Map;

/** A majority has written to its log, and awaited it, before a quorum queue confirms. */
class RabbitQuorumPowerCutIT extends PowerCutTests {

  RabbitQuorumPowerCutIT() {
    super(
        "rabbitmq",
        Map.of(
            "queue.type", "quorum", "call.bound", "12s", "connect.bound", "3s", "heartbeat", "3s"),
        true);
  }
}
