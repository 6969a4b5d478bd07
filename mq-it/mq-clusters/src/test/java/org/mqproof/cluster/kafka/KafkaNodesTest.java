package org.mqproof.cluster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;

class KafkaNodesTest {

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
  void everythingHasThreeReplicasOfWhichTwoAreAwaited() throws IOException {
    Map<String, String> properties = properties(1, Tuning.DEFAULT);

    assertThat(properties)
        .containsEntry("default.replication.factor", "3")
        .containsEntry("offsets.topic.replication.factor", "3")
        .containsEntry("transaction.state.log.replication.factor", "3")
        .containsEntry("share.coordinator.state.topic.replication.factor", "3")
        .containsEntry("min.insync.replicas", "2")
        .containsEntry("transaction.state.log.min.isr", "2")
        .containsEntry("share.coordinator.state.topic.min.isr", "2")
        .containsEntry("unclean.leader.election.enable", "false");
  }

  @Test
  void whatIsMeasuredHasNoTunedTimeouts() throws IOException {
    assertThat(properties(1, Tuning.DEFAULT).keySet())
        .noneMatch(key -> key.contains("timeout") || key.contains("heartbeat"));
  }

  @Test
  void tuningForTestsAddsTimesAndNothingElse() throws IOException {
    Map<String, String> fast = properties(1, Tuning.FAST);
    Map<String, String> added = new TreeMap<>(fast);

    added.keySet().removeAll(properties(1, Tuning.DEFAULT).keySet());

    assertThat(fast).containsAllEntriesOf(properties(1, Tuning.DEFAULT));
    assertThat(added.keySet()).isNotEmpty().allMatch(key -> key.endsWith(".ms"));
  }

  @Test
  void nodesDifferInIdPortsAndDirectory() throws IOException {
    Map<String, String> differing = properties(1, Tuning.DEFAULT);

    differing.entrySet().removeAll(properties(2, Tuning.DEFAULT).entrySet());

    assertThat(differing.keySet())
        .isEqualTo(Set.of("node.id", "listeners", "advertised.listeners", "log.dirs"));
    assertThat(properties(2, Tuning.DEFAULT)).containsEntry("node.id", "2");
  }

  @Test
  void aContainerDiffersInWhoListensWhereAndInNothingElse() throws IOException {
    Map<String, String> process = properties(2, Tuning.FAST);
    Map<String, String> container = parsed(KafkaNodes.containerProperties(home, 2, Tuning.FAST));

    Map<String, String> differing = new TreeMap<>(container);
    differing.entrySet().removeAll(process.entrySet());

    assertThat(container.keySet()).isEqualTo(process.keySet());
    assertThat(differing.keySet())
        .isEqualTo(
            Set.of(
                "advertised.listeners",
                "controller.quorum.voters",
                "inter.broker.listener.name",
                "listener.security.protocol.map",
                "listeners",
                "log.dirs"));
    assertThat(container.get("advertised.listeners"))
        .isEqualTo("PLAINTEXT://127.0.0.1:%d,NODES://node-2:%d", home.port(2), home.port(8));
  }

  private Map<String, String> properties(int node, Tuning tuning) throws IOException {
    return parsed(KafkaNodes.properties(home, node, tuning));
  }

  private static Map<String, String> parsed(String text) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    Map<String, String> map = new TreeMap<>();
    properties.forEach((key, value) -> map.put(key.toString(), value.toString()));
    return map;
  }
}
