package org.mqproof.pulsar;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/** The kit against a real cluster of three nodes, in one mode. */
abstract class PulsarConformance extends MqConformance {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("pulsar");

  private final Map<String, String> mode;

  PulsarConformance(Map<String, String> mode) {
    this.mode = mode;
  }

  @Override
  protected Mq connect() {
    return connect(CLUSTER.settings());
  }

  @Override
  protected Mq connectToDead() {
    return connect(at(deadEndpoint()));
  }

  @Override
  protected Mq connectToHung() {
    return connect(at(hungEndpoint()));
  }

  private static Map<String, String> at(String endpoint) {
    return Map.of(
        "service.url",
        "pulsar://" + endpoint,
        "admin.url",
        "http://" + endpoint,
        "call.bound",
        "8s",
        "connect.bound",
        "2s",
        "keep.alive",
        "2s");
  }

  private Mq connect(Map<String, String> where) {
    Map<String, String> settings = new HashMap<>(mode);
    settings.putAll(where);
    return MqProvider.named("pulsar").connect(settings);
  }
}
