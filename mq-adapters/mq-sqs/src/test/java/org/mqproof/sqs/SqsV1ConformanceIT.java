package org.mqproof.sqs;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("SQS (ElasticMQ), version 1 of the AWS SDK")
class SqsV1ConformanceIT extends SqsConformance {

  SqsV1ConformanceIT() {
    super(Map.of("sdk", "v1", "claim.period", "5s"));
  }
}
