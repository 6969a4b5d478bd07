package org.mqproof.jmh.systems;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationTest {

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path cluster;

  @Test
  void theFilesOfANodeAreTheirText() throws IOException {
    Path node = Files.createDirectories(cluster.resolve("node-1"));
    Files.writeString(
        node.resolve("server.properties"), "node.id=1\nlog.dirs=%s/data\n".formatted(node));
    Files.writeString(node.resolve("broker.xml"), "<core/>");
    Files.writeString(node.resolve("node.log"), "started");
    Files.writeString(Files.createDirectories(node.resolve("data")).resolve("x.properties"), "y");

    assertThat(Configuration.of(cluster, node))
        .containsOnlyKeys("broker.xml", "server.properties")
        .containsEntry("server.properties", "node.id=1\nlog.dirs=(directory)/node-1/data");
  }

  @Test
  void noSecretIsPublished() throws IOException {
    Files.writeString(
        cluster.resolve("rabbitmq.conf"),
        "a = 1\ndefault_pass = hunter2\nloopback_users = none\nssl_options.password = x\n");

    assertThat(Configuration.of(cluster, cluster).get("rabbitmq.conf"))
        .doesNotContain("hunter2")
        .contains("a = 1", "loopback_users = none")
        .contains("(a line that is not shown)");
  }
}
