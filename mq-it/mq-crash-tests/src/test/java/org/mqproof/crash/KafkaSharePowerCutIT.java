package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** As {@link KafkaPowerCutIT}, with a share group: its acks are records of Kafka, too. */
@Tag(Tags.FULL)
class KafkaSharePowerCutIT extends PowerCutTests {

  KafkaSharePowerCutIT() {
    super("kafka", Map.of("acks", "all", "receive", "share", "call.bound", "10s"), false);
  }
}
