package org.mqproof.crash;

import java.util.Map;

/** With its defaults Kafka awaits replicas and no disk: declared not to survive. */
class KafkaPowerCutIT extends PowerCutTests {

  KafkaPowerCutIT() {
    super("kafka", Map.of("acks", "all", "session.timeout.ms", "3000", "call.bound", "10s"), false);
  }
}
