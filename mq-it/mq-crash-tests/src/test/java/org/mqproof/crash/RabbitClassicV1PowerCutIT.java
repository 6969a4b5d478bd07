package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The same with the older format of a classic queue's files. */
@Tag(Tags.FULL)
class RabbitClassicV1PowerCutIT extends PowerCutTests {

  RabbitClassicV1PowerCutIT() {
    super(
        "rabbitmq",
        RabbitCrashTests.withBounds(Map.of("queue.type", "classic", "queue.version", "1")),
        false);
  }
}
