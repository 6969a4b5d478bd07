package org.mqproof.kafka;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/** The kit against a real cluster of three nodes, in one mode. */
abstract class KafkaConformance extends MqConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("kafka");

  private final Map<String, String> mode;

  KafkaConformance(Map<String, String> mode) {
    this.mode = mode;
  }

  @Override
  protected Mq connect() {
    return connect(CLUSTER.settings());
  }

  @Override
  protected Mq connectToDead() {
    return connect(Map.of("bootstrap.servers", deadEndpoint(), "connect.bound", "2s"));
  }

  @Override
  protected Mq connectToHung() {
    return connect(Map.of("bootstrap.servers", hungEndpoint(), "connect.bound", "2s"));
  }

  private Mq connect(Map<String, String> where) {
    Map<String, String> settings = new HashMap<>(mode);
    settings.putAll(where);
    return MqProvider.named("kafka").connect(settings);
  }
}
