package org.mqproof.cluster.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.process.ClusterHome;

class NatsNodesTest {

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
  void onlyTheOtherNodesAreRoutesAndAllIsOnLoopback() {
    String second = NatsNodes.configuration(home, 2, "secret", false);

    assertThat(second)
        .contains("server_name: node-2", "listen: \"127.0.0.1:%d\"".formatted(home.port(2)))
        .contains("nats://mqproof:secret@127.0.0.1:%d".formatted(home.port(4)))
        .contains("nats://mqproof:secret@127.0.0.1:%d".formatted(home.port(6)))
        .doesNotContain("nats://mqproof:secret@127.0.0.1:%d".formatted(home.port(5)))
        .doesNotContain("0.0.0.0");
  }

  @Test
  void theDiskIsAwaitedOnlyWhereThatIsAskedFor() {
    assertThat(NatsNodes.configuration(home, 1, "p", false)).doesNotContain("sync_interval");
    assertThat(NatsNodes.configuration(home, 1, "p", true)).contains("sync_interval: always\n}");
  }

  @Test
  void everyNodeHasItsFiles() throws IOException {
    NatsNodes.addTo(home, Path.of("/no/such/nats-server"), "p", false);

    assertThat(home.nodes()).hasSize(3);
    assertThat(Files.readString(home.directory(3).resolve("nats.conf"))).contains("node-3");
    assertThat(home.directory(3).resolve("data")).isDirectory();
  }

  @Test
  void anotherSyncIntervalIsRefused() {
    System.setProperty(NatsClusterProvider.SYNC_PROPERTY, "sometimes");
    try {
      assertThatThrownBy(NatsClusterProvider::isSyncAlways)
          .hasMessage("mqproof.nats.sync must be default or always, was sometimes");
    } finally {
      System.clearProperty(NatsClusterProvider.SYNC_PROPERTY);
    }
  }
}
