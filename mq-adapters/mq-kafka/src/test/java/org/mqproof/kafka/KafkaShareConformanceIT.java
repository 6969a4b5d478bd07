package org.mqproof.kafka;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Kafka, acks=all, in a share group")
class KafkaShareConformanceIT extends KafkaConformance {

  KafkaShareConformanceIT() {
    super(Map.of("receive", "share", "partitions", "1", "claim.period", "5s"));
  }
}
