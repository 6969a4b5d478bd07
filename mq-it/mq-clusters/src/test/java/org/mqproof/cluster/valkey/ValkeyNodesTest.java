package org.mqproof.cluster.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.process.ClusterHome;

class ValkeyNodesTest {

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
  void onlyOneNodeBeginsAsThePrimaryAndAllIsOnLoopback() throws IOException {
    ValkeyNodes nodes = new ValkeyNodes(home, "secret", "always");
    nodes.add(Path.of("/no/such/valkey-server"));
    nodes.configure(2, 2);
    nodes.configure(3, 2);

    assertThat(home.nodes()).hasSize(3);
    assertThat(home.directory(3).resolve("data")).isDirectory();
    assertThat(written(2))
        .contains("bind 127.0.0.1\nport %d\n".formatted(home.port(2)), "appendfsync always\n")
        .doesNotContain("replicaof");
    assertThat(written(3)).contains("replicaof 127.0.0.1 %d\n".formatted(home.port(2)));
  }

  private String written(int node) throws IOException {
    return Files.readString(home.directory(node).resolve("valkey.conf"));
  }

  @Test
  void nobodyGetsInWithoutThePassword() {
    assertThat(new ValkeyNodes(home, "secret", "everysec").configuration(1))
        .contains(
            "user default off resetpass ~* &* +@all\n", "user mqproof on >secret ~* &* +@all\n");
  }

  @Test
  void anotherFsyncIsRefused() {
    System.setProperty(ValkeyClusterProvider.FSYNC_PROPERTY, "no");
    try {
      assertThatThrownBy(ValkeyClusterProvider::fsync)
          .hasMessage("mqproof.valkey.appendfsync must be everysec or always, was no");
    } finally {
      System.clearProperty(ValkeyClusterProvider.FSYNC_PROPERTY);
    }
  }
}
