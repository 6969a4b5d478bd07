package org.mqproof.rabbitmq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("RabbitMQ, queues declared as on any server of AMQP 0-9-1")
class RabbitPlainConformanceIT extends RabbitConformance {

  RabbitPlainConformanceIT() {
    super(Map.of("queue.type", "plain"));
  }
}
