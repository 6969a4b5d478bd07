package org.mqproof.kafka;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Kafka, acks=all, in a consumer group")
class KafkaAcksAllConformanceIT extends KafkaConformance {

  KafkaAcksAllConformanceIT() {
    super(Map.of("acks", "all"));
  }
}
