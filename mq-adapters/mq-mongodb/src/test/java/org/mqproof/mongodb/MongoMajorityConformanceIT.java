package org.mqproof.mongodb;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("MongoDB, write concern majority")
class MongoMajorityConformanceIT extends MongoConformance {

  MongoMajorityConformanceIT() {
    super(Map.of("claim.period", "6s"));
  }
}
