package org.mqproof.rabbitmq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("RabbitMQ, classic queues of version 2, publisher confirms")
class RabbitClassicConformanceIT extends RabbitConformance {

  RabbitClassicConformanceIT() {
    super(Map.of("queue.type", "classic", "queue.version", "2"));
  }
}
