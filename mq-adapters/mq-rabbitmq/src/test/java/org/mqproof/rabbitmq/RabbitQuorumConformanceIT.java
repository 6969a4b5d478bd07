package org.mqproof.rabbitmq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("RabbitMQ, quorum queues, publisher confirms")
class RabbitQuorumConformanceIT extends RabbitConformance {

  RabbitQuorumConformanceIT() {
    super(Map.of("queue.type", "quorum"));
  }
}
