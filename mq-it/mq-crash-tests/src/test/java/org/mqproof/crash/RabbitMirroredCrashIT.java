package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Classic queues with a mirror on every node. */
@Tag(Tags.FULL)
class RabbitMirroredCrashIT extends RabbitCrashTests {

  RabbitMirroredCrashIT() {
    super(Map.of("queue.type", "classic-mirrored"));
  }
}
