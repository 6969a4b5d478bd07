package org.mqproof.crash;

import java.util.Map;

/** Share groups: senders are those of {@link KafkaAcksAllCrashIT}, receivers are not. */
class KafkaShareCrashIT extends ReceiverCrashTests {

  KafkaShareCrashIT() {
    super("kafka", Map.of("acks", "all", "receive", "share", "call.bound", "10s"));
  }
}
