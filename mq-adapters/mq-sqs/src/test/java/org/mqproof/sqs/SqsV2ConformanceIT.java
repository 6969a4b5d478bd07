package org.mqproof.sqs;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("SQS (ElasticMQ), version 2 of the AWS SDK")
class SqsV2ConformanceIT extends SqsConformance {

  SqsV2ConformanceIT() {
    super(Map.of("sdk", "v2", "claim.period", "5s"));
  }
}
