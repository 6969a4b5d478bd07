package org.mqproof.crash;

import java.util.Map;

/** Quorum queues. */
class RabbitSoakIT extends SoakTests {

  RabbitSoakIT() {
    super(
        "rabbitmq",
        Map.of(
            "queue.type", "quorum", "call.bound", "12s", "connect.bound", "3s", "heartbeat", "3s"));
  }
}
