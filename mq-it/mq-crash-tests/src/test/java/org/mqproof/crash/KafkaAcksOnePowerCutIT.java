package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The leader alone confirms, and awaits no disk: declared not to survive. */
@Tag(Tags.FULL)
class KafkaAcksOnePowerCutIT extends PowerCutTests {

  KafkaAcksOnePowerCutIT() {
    super("kafka", Map.of("acks", "1", "session.timeout.ms", "3000", "call.bound", "10s"), false);
  }
}
