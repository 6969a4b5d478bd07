package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** As {@link KafkaPowerCutIT}, with a share group: its acks are records of Kafka, too. */
@Tag(Tags.FULL)
class KafkaSharePowerCutIT extends PowerCutTests {

  KafkaSharePowerCutIT() {
    super("kafka", KafkaShareCrashIT.MODE, false);
  }
}
