package org.mqproof.crash;

import java.util.Map;

class KafkaNetworkCrashIT extends ReplicatedNetworkCrashTests {

  KafkaNetworkCrashIT() {
    super("kafka", Map.of("acks", "all", "session.timeout.ms", "3000", "call.bound", "10s"));
  }
}
