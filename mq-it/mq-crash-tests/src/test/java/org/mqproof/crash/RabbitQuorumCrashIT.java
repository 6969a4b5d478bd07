package org.mqproof.crash;

import java.util.Map;

class RabbitQuorumCrashIT extends CrashTests {

  RabbitQuorumCrashIT() {
    super(
        "rabbitmq",
        Map.of(
            "queue.type", "quorum",
            "call.bound", "12s",
            "connect.bound", "3s",
            "heartbeat", "3s"));
  }
}
