package org.mqproof.crash;

import java.util.Map;

class KafkaAcksAllCrashIT extends CrashTests {

  KafkaAcksAllCrashIT() {
    super("kafka", Map.of("acks", "all", "session.timeout.ms", "3000", "call.bound", "10s"));
  }
}
