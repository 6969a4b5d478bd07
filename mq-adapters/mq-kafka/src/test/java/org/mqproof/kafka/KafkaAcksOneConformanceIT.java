package org.mqproof.kafka;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Kafka, acks=1, order kept, in a consumer group")
class KafkaAcksOneConformanceIT extends KafkaConformance {

  KafkaAcksOneConformanceIT() {
    super(Map.of("acks", "1", "order", "per-sender"));
  }
}
