package org.mqproof.conformance.clusters;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** An ElasticMQ, which the build lets keep messages in memory: see the module's POM. */
class SqsConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("sqs");

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  /** The SDKs try again until the bound of a call is over. */
  private static final Map<String, String> IMPATIENT =
      Map.of("call.bound", "8s", "connect.bound", "2s");

  /** Where messages go that were received too often. */
  private static final String DEAD = "alo-26-dead";

  /** A queue that others made. ElasticMQ keeps no retention period, and has one size for all. */
  private static BrokenQueue redriving(String policy) {
    return queue -> {
      create(DEAD, Map.of());
      create(queue, Map.of(QueueAttributeName.REDRIVE_POLICY, policy));
      return () -> {};
    };
  }

  private static void create(String queue, Map<QueueAttributeName, String> attributes)
      throws Exception {
    try (SqsAsyncClient other =
        SqsAsyncClient.builder()
            .endpointOverride(URI.create(WaysIn.setting(CLUSTER.settings(), "endpoint")))
            .region(Region.of("elasticmq"))
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .build()) {
      Object unused =
          other
              .createQueue(request -> request.queueName(queue).attributes(attributes))
              .get(60, TimeUnit.SECONDS);
    }
  }

  @Nested
  @DisplayName("SQS (ElasticMQ), version 2 of the AWS SDK")
  class V2 extends ClusterConformance {
    V2() {
      super(CLUSTER, Map.of("sdk", "v2", "claim.period", "20s"), IMPATIENT);
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      String redrive =
          "{\"deadLetterTargetArn\":\"arn:aws:sqs:elasticmq:000000000000:%s\",\"maxReceiveCount\":3}"
              .formatted(DEAD);
      return Map.of("RedrivePolicy=" + redrive, redriving(redrive));
    }
  }

  @Nested
  @DisplayName("SQS (ElasticMQ), version 1 of the AWS SDK")
  @Variant(of = V2.class)
  class V1 extends ClusterConformance {
    V1() {
      super(CLUSTER, Map.of("sdk", "v1", "claim.period", "10s"), IMPATIENT);
    }
  }
}
