package org.mqproof.rabbitmq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("RabbitMQ, classic queues of version 1, publisher confirms")
class RabbitClassicV1ConformanceIT extends RabbitConformance {

  RabbitClassicV1ConformanceIT() {
    super(Map.of("queue.type", "classic", "queue.version", "1"));
  }
}
