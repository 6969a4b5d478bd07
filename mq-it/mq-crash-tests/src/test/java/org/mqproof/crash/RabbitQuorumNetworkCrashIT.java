package org.mqproof.crash;

import java.util.Map;

class RabbitQuorumNetworkCrashIT extends ReplicatedNetworkCrashTests {

  RabbitQuorumNetworkCrashIT() {
    super(
        "rabbitmq",
        Map.of(
            "queue.type", "quorum", "call.bound", "12s", "connect.bound", "3s", "heartbeat", "3s"));
  }
}
