package org.mqproof.cluster.activemq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.XmlText;

class LevelDbNodesTest {

  private ClusterHome home;

  @BeforeEach
  void makeHome() {
    home = ClusterHome.create("test");
  }

  @AfterEach
  void closeHome() {
    home.close();
  }

  @Test
  void nothingIsConfirmedBeforeTwoOfThreeNodesHaveIt() {
    assertThat(XmlText.strip(xml(1, Tuning.DEFAULT)))
        .contains("replicas=\"3\" sync=\"quorum_mem\"")
        .doesNotContain("kahaDB");
  }

  @Test
  void tuningForTestsChangesTheSilenceOfClientsAndNothingElse() {
    assertThat(
            XmlText.strip(xml(1, Tuning.FAST))
                .replace("?wireFormat.maxInactivityDuration=5000", ""))
        .isEqualTo(XmlText.strip(xml(1, Tuning.DEFAULT)));
  }

  @Test
  void nodesDifferInPortsAndDirectoriesAndShareTheZooKeeper() {
    assertThat(
            XmlText.strip(xml(2, Tuning.DEFAULT))
                .replace("node-2", "node-1")
                .replace(":" + home.port(2), ":" + home.port(1))
                .replace(":" + home.port(5), ":" + home.port(4)))
        .isEqualTo(XmlText.strip(xml(1, Tuning.DEFAULT)))
        .contains("zkAddress=\"127.0.0.1:" + home.port(7) + "\"");
    assertThat(LevelDbNodes.zooKeeperConfiguration(home))
        .contains("clientPort=" + home.port(7))
        .contains("clientPortAddress=127.0.0.1");
  }

  @Test
  void aNodeHasCaughtUpUntilItIsDisconnectedOrAnotherOneIsPromoted() {
    String log =
        """
        Promoted to master
        Slave has connected: a
        Slave has now caught up: a
        Slave has now caught up: b
        """;

    assertThat(LevelDbCluster.caughtUp("")).isEmpty();
    assertThat(LevelDbCluster.caughtUp(log)).containsExactlyInAnyOrder("a", "b");
    assertThat(LevelDbCluster.caughtUp(log + "Slave has disconnected: a\n")).containsExactly("b");
    assertThat(
            LevelDbCluster.caughtUp(
                log + "Slave has disconnected: a\nSlave has now caught up: a\n"))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(LevelDbCluster.caughtUp(log + "Demoted to slave\nPromoted to master\n")).isEmpty();
  }

  @Test
  void aNodeIsSilentFromReachingZooKeeperToItsFirstElection() {
    String starting = "Using Persistence Adapter: Replicated LevelDB\n";
    String reached = "Session establishment complete on server\n";
    String elected = "MasterElector - Slave started\n";

    assertThat(LevelDbCluster.isSilent(starting)).isFalse();
    assertThat(LevelDbCluster.isSilent(starting + reached)).isTrue();
    assertThat(LevelDbCluster.isSilent(starting + reached + elected)).isFalse();
    assertThat(LevelDbCluster.isSilent(starting + reached + elected + reached)).isFalse();
    assertThat(LevelDbCluster.isSilent(starting + reached + elected + starting + reached)).isTrue();
  }

  @Test
  void aStoreThatThereIsNotIsAnError() {
    Map<String, String> variant = Map.of(ActiveMqClusterProvider.STORE_PROPERTY, "paper");

    assertThatThrownBy(() -> TestCluster.start(new ActiveMqClusterProvider(), variant))
        .isInstanceOf(ClusterException.class)
        .hasMessage("mqproof.activemq.store must be kahadb or leveldb, was paper");
  }

  private String xml(int node, Tuning tuning) {
    return ActiveMqNodes.xml(home, node, LevelDbNodes.STORE, tuning);
  }
}
