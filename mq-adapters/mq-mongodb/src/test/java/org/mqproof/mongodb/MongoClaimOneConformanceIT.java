package org.mqproof.mongodb;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("MongoDB, write concern majority, claims one by one")
class MongoClaimOneConformanceIT extends MongoConformance {

  MongoClaimOneConformanceIT() {
    super(Map.of("claim", "one", "claim.period", "8s"));
  }
}
