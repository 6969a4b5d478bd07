package org.mqproof.sqs;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/** The kit against a real ElasticMQ that keeps messages on disk, in one mode. */
abstract class SqsConformance extends MqConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("sqs");

  private final Map<String, String> mode;

  SqsConformance(Map<String, String> mode) {
    this.mode = mode;
  }

  @Override
  protected Mq connect() {
    return connect(CLUSTER.settings());
  }

  @Override
  protected Mq connectToDead() {
    return connect(nobody(deadEndpoint()));
  }

  @Override
  protected Mq connectToHung() {
    return connect(nobody(hungEndpoint()));
  }

  private static Map<String, String> nobody(String address) {
    return Map.of(
        "endpoint", "http://" + address,
        "region", "nowhere",
        "credentials", "anonymous",
        "call.bound", "8s",
        "connect.bound", "2s");
  }

  private Mq connect(Map<String, String> where) {
    Map<String, String> settings = new HashMap<>(mode);
    settings.putAll(where);
    return MqProvider.named("sqs").connect(settings);
  }
}
