package org.mqproof.cluster;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of containers that leave the network of the nodes, as {@link NetworkClustersIT} has
 * it for processes.
 */
@EnabledIfSystemProperty(
    named = ClusterProvider.NODES_PROPERTY,
    matches = ClusterProvider.CONTAINERS,
    disabledReason = "runs with -Pcontainers")
class ContainersClustersIT {

  @ParameterizedTest
  @ValueSource(strings = "rabbitmq")
  void anIsolatedLeaderIsReplacedByTheMajorityAndComesBack(String system) {
    try (Cluster cluster = TestCluster.runnable(system).start(Tuning.FAST)) {
      NetworkClustersIT.assertIsolatedLeaderIsReplaced(cluster);
    }
  }

  /** The lock by which a pair goes is a file of this machine. */
  @Tag("full") // each build has it for processes
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "activemq"})
  void anIsolatedActiveNodeGoesOnAlone(String system) {
    try (Cluster cluster = TestCluster.runnable(system).start(Tuning.FAST)) {
      NetworkClustersIT.assertIsolatedLeaderGoesOnAlone(cluster);
    }
  }
}
