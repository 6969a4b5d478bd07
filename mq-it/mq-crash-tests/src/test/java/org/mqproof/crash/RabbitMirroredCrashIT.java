package org.mqproof.crash;

import java.util.Map;

/** Classic mirrored queues, which RabbitMQ had before quorum queues and until version 4. */
class RabbitMirroredCrashIT extends CrashTests {

  RabbitMirroredCrashIT() {
    super(
        "rabbitmq",
        Map.of(
            "queue.type", "classic-mirrored",
            "call.bound", "12s",
            "connect.bound", "3s",
            "heartbeat", "3s"));
  }
}
