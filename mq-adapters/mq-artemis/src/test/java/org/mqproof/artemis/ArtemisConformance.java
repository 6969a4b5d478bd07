package org.mqproof.artemis;

import java.util.HashMap;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/** The kit against a real cluster of two nodes, in one mode. */
abstract class ArtemisConformance extends MqConformance {

  private final TestCluster cluster;
  private final String send;

  /** A mode on a cluster that the subclass registers. */
  ArtemisConformance(TestCluster cluster, String send) {
    this.cluster = cluster;
    this.send = send;
  }

  @Override
  protected Mq connect() {
    return connect(cluster.settings());
  }

  @Override
  protected Mq connectToDead() {
    return connect(Map.of("addresses", deadEndpoint(), "connect.bound", "2s"));
  }

  @Override
  protected Mq connectToHung() {
    return connect(Map.of("addresses", hungEndpoint(), "connect.bound", "2s"));
  }

  private Mq connect(Map<String, String> where) {
    Map<String, String> settings = new HashMap<>(where);
    settings.put("send", send);
    return MqProvider.named("artemis").connect(settings);
  }
}
