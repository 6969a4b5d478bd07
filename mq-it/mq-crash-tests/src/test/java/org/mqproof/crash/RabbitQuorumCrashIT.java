package org.mqproof.crash;

import java.util.Map;

class RabbitQuorumCrashIT extends RabbitCrashTests {

  RabbitQuorumCrashIT() {
    super(Map.of("queue.type", "quorum"));
  }
}
