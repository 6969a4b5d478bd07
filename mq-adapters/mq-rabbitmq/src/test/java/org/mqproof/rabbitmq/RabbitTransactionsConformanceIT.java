package org.mqproof.rabbitmq;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("RabbitMQ, quorum queues, transactions")
class RabbitTransactionsConformanceIT extends RabbitConformance {

  RabbitTransactionsConformanceIT() {
    super(Map.of("queue.type", "quorum", "confirm", "transactions"));
  }
}
