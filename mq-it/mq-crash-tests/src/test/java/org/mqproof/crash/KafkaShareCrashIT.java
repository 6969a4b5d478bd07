package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Share groups: senders are those of {@link KafkaAcksAllCrashIT}, receivers are not. */
@Tag(Tags.FULL)
class KafkaShareCrashIT extends ReceiverCrashTests {

  static final Map<String, String> MODE =
      Map.of("acks", "all", "receive", "share", "call.bound", "10s");

  KafkaShareCrashIT() {
    super("kafka", MODE);
  }
}
