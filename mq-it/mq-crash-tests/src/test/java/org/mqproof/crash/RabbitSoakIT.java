package org.mqproof.crash;

import java.util.Map;

/** Quorum queues. */
class RabbitSoakIT extends SoakTests {

  RabbitSoakIT() {
    super("rabbitmq", RabbitCrashTests.withBounds(Map.of("queue.type", "quorum")));
  }
}
