package org.mqproof.rabbitmq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("RabbitMQ, classic mirrored queues, publisher confirms")
class RabbitMirroredConformanceIT extends RabbitConformance {

  RabbitMirroredConformanceIT() {
    super(Map.of("queue.type", "classic-mirrored"));
  }
}
