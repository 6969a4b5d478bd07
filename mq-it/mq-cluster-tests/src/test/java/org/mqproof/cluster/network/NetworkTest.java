package org.mqproof.cluster.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Processes;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;

/** Networks of nodes that do nothing; a node that is reached refuses a connection. */
class NetworkTest {

  private static final int NOBODY_LISTENS = 19_998;
  private static final int CONNECT_MILLIS = 1_000;

  private ClusterHome home;
  private Network network;

  @BeforeAll
  static void require() {
    TestCluster.require("network");
  }

  @BeforeEach
  void make() {
    home = ClusterHome.create("test");
    network = Network.in(home, 3);
  }

  @AfterEach
  void close() {
    home.close();
  }

  @Test
  void anIsolatedNodeIsStillReachedByClients() {
    network.isolate(1);

    assertRefused(1);
    assertRefused(2);
    network.probes().requireCut(List.of(new Way(1, 2), new Way(3, 1)));
    network.probes().requireOpen(List.of(new Way(2, 3), new Way(3, 2)));
    assertThat(network.unharmed()).containsExactly(2, 3);
  }

  @Test
  void aNodeThatIsCutOffIsStillReachedByTheOthers() {
    network.cut(List.of(1));

    assertThatThrownBy(() -> connect(1)).isInstanceOf(SocketTimeoutException.class);
    assertRefused(2);
    network.probes().requireOpen(List.of(new Way(1, 2), new Way(3, 1)));
    assertThat(network.unharmed()).containsExactly(2, 3);
  }

  @Test
  void everyCutIsMended() {
    network.isolate(1);
    network.isolate(2);
    network.cut(List.of(1, 2, 3));
    assertThat(network.unharmed()).isEmpty();

    network.heal();

    assertRefused(1);
    network.probes().requireOpen(List.of(new Way(1, 2), new Way(2, 3)));
    assertThat(network.unharmed()).containsExactly(1, 2, 3);
    network.isolate(1);
  }

  @Test
  void aCutThatTakesNoEffectIsAnError() {
    assertThatThrownBy(() -> network.probes().requireCut(List.of(new Way(1, 2))))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("still gets through");
  }

  @Test
  void aNetworkThatIsNotMendedIsAnError() {
    network.cut(List.of(1));

    assertThatThrownBy(() -> network.probes().requireOpen(List.of(new Way(0, 1))))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("nothing gets through");
  }

  @Test
  void nobodySendsFasterThanASlowNetworkLetsHim() {
    network.slow(200_000);

    assertThatThrownBy(() -> network.probes().requireSlow(100_000))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("still sends");
    assertThatThrownBy(() -> network.slow(100_000)).isInstanceOf(IllegalStateException.class);
    network.heal();
    assertThatThrownBy(() -> network.probes().requireSlow(200_000))
        .as("healed")
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("still sends");
  }

  @Test
  void everyPacketTakesItsTime() {
    Duration eachWay = Duration.ofMillis(10);
    network.delay(eachWay);

    assertThat(List.of(1, 2, 3))
        .allSatisfy(
            node ->
                assertThat(network.probes().roundTrip(node))
                    .isGreaterThan(eachWay.multipliedBy(2)));
    assertThat(microsFromNodeToNode(1, 2)).isGreaterThan(20_000);
    assertThatThrownBy(() -> network.probes().requireDelay(Duration.ofMillis(5), List.of(1)))
        .isInstanceOf(ClusterException.class)
        .hasMessageEndingWith("not PT0.01S");
    assertThatThrownBy(() -> network.delay(eachWay)).isInstanceOf(IllegalStateException.class);
    network.heal();
    assertThatThrownBy(() -> network.probes().requireDelay(eachWay, List.of(1)))
        .as("healed")
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("a round trip to node 1 takes");
    network.delay(Duration.ofMillis(1));
  }

  /** By the clock of a shell in the network of the first. */
  private long microsFromNodeToNode(int from, int to) {
    ProcessBuilder probe =
        new ProcessBuilder(
            "bash",
            "-c",
            "a=$EPOCHREALTIME; (exec 3<>\"/dev/tcp/$1/$2\") 2>/dev/null; b=$EPOCHREALTIME;"
                + " echo $((${b/[.,]/} - ${a/[.,]/}))",
            "bash",
            home.host(to),
            Integer.toString(NOBODY_LISTENS));
    home.enter(from, probe);
    try {
      Process process = probe.start();
      try (BufferedReader reader = process.inputReader()) {
        return Long.parseLong(reader.readLine());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aNodeRunsInItsNetwork() throws IOException {
    Files.createDirectories(home.directory(1));
    home.add(NodeProcess.whenTold(List.of("sleep", "600")));
    home.start(home.node(1));

    Processes.await(
        "its own namespace",
        Duration.ofSeconds(60),
        () -> !namespace(home.node(1).handle()).equals(namespace(ProcessHandle.current())));
  }

  private static Path namespace(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "net"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void twoClustersHaveNoAddressInCommon() {
    try (ClusterHome other = ClusterHome.create("test")) {
      assertThat(Network.in(other, 1).unharmed()).containsExactly(1);

      assertThat(other.host(1)).isNotEqualTo(home.host(1));
      assertRefused(1);
    }
  }

  @Test
  void nothingIsLeftOfAClosedOne() throws IOException {
    assertThat(NetworkInterface.getByName(network.linkName())).isNotNull();

    home.close();

    assertThat(NetworkInterface.getByName(network.linkName())).isNull();
  }

  @Test
  void withoutOneTheVerbsSayHowToGetIt() {
    try (ClusterHome plain = ClusterHome.create("test")) {
      assertThat(plain.host(1)).isEqualTo("127.0.0.1");
      assertThatThrownBy(plain::links)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("-Dmqproof.network=true");
    }
  }

  private void assertRefused(int node) {
    assertThatThrownBy(() -> connect(node)).isInstanceOf(ConnectException.class);
  }

  private void connect(int node) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(home.host(node), NOBODY_LISTENS), CONNECT_MILLIS);
    }
  }
}
