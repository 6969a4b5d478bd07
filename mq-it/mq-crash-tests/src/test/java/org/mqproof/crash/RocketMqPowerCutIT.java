package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The leader awaits its disk. */
@Tag(Tags.FULL)
class RocketMqPowerCutIT extends PowerCutTests {

  RocketMqPowerCutIT() {
    super("rocketmq", RocketMqCrashIT.MODE, true);
  }
}
