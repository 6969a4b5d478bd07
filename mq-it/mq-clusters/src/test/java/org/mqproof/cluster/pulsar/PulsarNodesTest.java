package org.mqproof.cluster.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;

class PulsarNodesTest {

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
  void aMessageIsOnTwoBookiesAndTheirDisksBeforeItIsConfirmed() throws IOException {
    for (Tuning tuning : Tuning.values()) {
      assertThat(broker(1, tuning))
          .containsEntry("managedLedgerDefaultEnsembleSize", "2")
          .containsEntry("managedLedgerDefaultWriteQuorum", "2")
          .containsEntry("managedLedgerDefaultAckQuorum", "2");
      assertThat(bookie(1, tuning)).containsEntry("journalSyncData", "true");
    }
  }

  @Test
  void bookiesAwaitTheirDisksUnlessTheyAreToldNotTo() throws IOException {
    System.setProperty(PulsarClusterProvider.JOURNAL_SYNC_PROPERTY, "false");
    try {
      assertThat(bookie(1, Tuning.FAST)).containsEntry("journalSyncData", "false");
      System.setProperty(PulsarClusterProvider.JOURNAL_SYNC_PROPERTY, "no");
      assertThatThrownBy(() -> bookie(1, Tuning.FAST))
          .isInstanceOf(ClusterException.class)
          .hasMessage("mqproof.pulsar.journal.sync must be true or false, was no");
    } finally {
      System.clearProperty(PulsarClusterProvider.JOURNAL_SYNC_PROPERTY);
    }
  }

  @Test
  void metadataHaveThreeMembers() throws IOException {
    assertThat(zooKeeper(1).keySet()).contains("server.1", "server.2", "server.3");
    assertThat(broker(1, Tuning.DEFAULT).get("metadataStoreUrl")).startsWith("zk:").contains(",");
  }

  @Test
  void whatIsMeasuredHasNoTunedTimeouts() throws IOException {
    assertThat(broker(1, Tuning.DEFAULT).keySet()).noneMatch(key -> key.contains("Timeout"));
    assertThat(bookie(1, Tuning.DEFAULT).keySet()).noneMatch(key -> key.contains("Timeout"));
  }

  @Test
  void tuningForTestsChangesNothingThatIsSetForBoth() throws IOException {
    assertThat(broker(1, Tuning.FAST)).containsAllEntriesOf(broker(1, Tuning.DEFAULT));
    assertThat(bookie(1, Tuning.FAST)).containsAllEntriesOf(bookie(1, Tuning.DEFAULT));
  }

  @Test
  void nodesDifferInPortsAndDirectories() throws IOException {
    assertThat(differing(node -> unchecked(() -> broker(node, Tuning.DEFAULT))))
        .isEqualTo(Set.of("brokerServicePort", "webServicePort"));
    assertThat(differing(node -> unchecked(() -> bookie(node, Tuning.DEFAULT))))
        .isEqualTo(Set.of("bookiePort", "journalDirectories", "ledgerDirectories"));
    assertThat(differing(node -> unchecked(() -> zooKeeper(node))))
        .isEqualTo(Set.of("clientPort", "dataDir"));
  }

  private static Set<String> differing(Function<Integer, Map<String, String>> ofNode) {
    Map<String, String> differing = ofNode.apply(1);
    differing.entrySet().removeAll(ofNode.apply(2).entrySet());
    return differing.keySet();
  }

  private interface Reading {
    Map<String, String> read() throws IOException;
  }

  private static Map<String, String> unchecked(Reading reading) {
    try {
      return reading.read();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Map<String, String> broker(int node, Tuning tuning) throws IOException {
    return map(PulsarNodes.broker(home, node, tuning));
  }

  private Map<String, String> bookie(int node, Tuning tuning) throws IOException {
    return map(PulsarNodes.bookie(home, node, tuning));
  }

  private Map<String, String> zooKeeper(int node) throws IOException {
    return map(PulsarNodes.zooKeeper(home, node, Tuning.DEFAULT));
  }

  private static Map<String, String> map(String text) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    Map<String, String> map = new TreeMap<>();
    properties.forEach((key, value) -> map.put(key.toString(), value.toString()));
    return map;
  }
}
