package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** One node has the queue, and awaits no disk before it confirms: declared not to survive. */
@Tag(Tags.FULL)
class RabbitClassicPowerCutIT extends PowerCutTests {

  RabbitClassicPowerCutIT() {
    super(
        "rabbitmq",
        RabbitCrashTests.withBounds(Map.of("queue.type", "classic", "queue.version", "2")),
        false);
  }
}
