package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The leader alone confirms, and awaits no disk: declared not to survive. */
@Tag(Tags.FULL)
class KafkaAcksOnePowerCutIT extends PowerCutTests {

  KafkaAcksOnePowerCutIT() {
    super("kafka", KafkaAcksOneCrashIT.MODE, false);
  }
}
