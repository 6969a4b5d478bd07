package org.mqproof.conformance.clusters;

import java.util.Map;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.TestCluster;

/** Clusters that encrypt and ask who comes: one for all classes of a system. */
final class Secured {

  static final TestCluster ACTIVEMQ = cluster("activemq");
  static final TestCluster ARTEMIS = cluster("artemis");
  static final TestCluster KAFKA = cluster("kafka");
  static final TestCluster MONGODB = cluster("mongodb");
  static final TestCluster NATS = cluster("nats");
  static final TestCluster POSTGRESQL = cluster("postgresql");
  static final TestCluster PULSAR = cluster("pulsar");
  static final TestCluster RABBITMQ = cluster("rabbitmq");

  private Secured() {}

  private static TestCluster cluster(String system) {
    return TestCluster.of(system, Map.of(ClusterProvider.SECURITY_PROPERTY, ClusterProvider.TLS));
  }
}
