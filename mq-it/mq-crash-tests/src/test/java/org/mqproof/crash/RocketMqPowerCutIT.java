package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The leader's disk confirms, and the memory of another node: declared not to survive. */
@Tag(Tags.FULL)
class RocketMqPowerCutIT extends PowerCutTests {

  RocketMqPowerCutIT() {
    super("rocketmq", RocketMqCrashIT.MODE, false);
  }
}
