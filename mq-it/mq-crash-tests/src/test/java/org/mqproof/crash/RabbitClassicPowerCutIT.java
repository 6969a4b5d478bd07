package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** One node has the queue, and awaits no disk before it confirms: declared not to survive. */
@Tag(Tags.FULL)
class RabbitClassicPowerCutIT extends PowerCutTests {

  RabbitClassicPowerCutIT() {
    super("rabbitmq", RabbitCrashTests.withBounds(RabbitClassicCrashIT.MODE), false);
  }
}
