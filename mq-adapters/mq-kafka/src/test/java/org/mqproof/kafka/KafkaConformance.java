package org.mqproof.kafka;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mqproof.Mq;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/** The kit against a real cluster of three nodes, in one mode. */
@ExtendWith(TestCluster.class)
abstract class KafkaConformance extends MqConformance {

  private final Map<String, String> mode;

  KafkaConformance(Map<String, String> mode) {
    this.mode = mode;
  }

  @Override
  protected Mq connect() {
    return connect(TestCluster.settings());
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
