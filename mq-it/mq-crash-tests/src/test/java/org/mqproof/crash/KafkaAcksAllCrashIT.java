package org.mqproof.crash;

import java.util.Map;

class KafkaAcksAllCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of(
          "acks", "all",
          "session.timeout.ms", "3000",
          "rebalance.hold", "4s",
          "call.bound", "10s");

  KafkaAcksAllCrashIT() {
    super("kafka", MODE);
  }
}
