package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What can be done to containers alone; the other verbs are in {@link KafkaClusterIT}. */
@EnabledIfSystemProperty(
    named = ClusterProvider.NODES_PROPERTY,
    matches = ClusterProvider.CONTAINERS,
    disabledReason = "runs with -Pcontainers")
class KafkaContainersIT extends KafkaLinksTests {

  @Override
  Cluster startCluster() {
    return TestCluster.runnable("kafka").start(Tuning.FAST);
  }

  /** Clients come over another network, which is whole. */
  @Override
  void whileIsolated(int leader) throws IOException {
    String server = server(leader);
    int colon = server.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              server.substring(0, colon), Integer.parseInt(server.substring(colon + 1))),
          3_000);
      assertThat(socket.isConnected()).isTrue();
    }
  }

  @Test
  void aDeadNodeCannotBeIsolated() {
    cluster().kill(1);

    assertThatThrownBy(() -> cluster().isolate(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatContainersCannotDoIsSaid() {
    assertThatThrownBy(() -> cluster().cut(2))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageStartingWith("containers cannot be cut off from clients in silence");
    assertThatThrownBy(() -> cluster().slow(100_000))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageStartingWith("the network of containers cannot be slowed")
        .hasMessageContaining("-Dmqproof.network");
  }
}
