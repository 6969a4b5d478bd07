package org.mqproof.mongodb;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("MongoDB, write concern w1")
class MongoW1ConformanceIT extends MongoConformance {

  MongoW1ConformanceIT() {
    super(Map.of("write.concern", "w1", "claim.period", "6s"));
  }
}
