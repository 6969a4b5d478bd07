package org.mqproof.cluster.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.security.RandomHex;

class MongoNodesTest {

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
  void whatIsMeasuredHasNothingThatOneMachineDoesNotNeed() {
    assertThat(configuration(1, Tuning.DEFAULT).keySet())
        .isEqualTo(
            Set.of(
                "net.bindIp",
                "net.port",
                "net.unixDomainSocket.enabled",
                "storage.dbPath",
                "storage.wiredTiger.engineConfig.cacheSizeGB",
                "replication.replSetName",
                "replication.oplogSizeMB",
                "security.authorization",
                "security.keyFile"));
  }

  @Test
  void tuningForTestsAddsFourParametersAndNothingElse() {
    Map<String, String> added = configuration(1, Tuning.FAST);

    added.entrySet().removeAll(configuration(1, Tuning.DEFAULT).entrySet());

    assertThat(added)
        .isEqualTo(
            Map.of(
                "setParameter.diagnosticDataCollectionEnabled",
                "false",
                "setParameter.syncdelay",
                "5",
                "setParameter.flowControlTargetLagSeconds",
                "2",
                "setParameter.scramSHA256IterationCount",
                "5000"));
  }

  @Test
  void nodesDifferInPortAndDirectory() {
    Map<String, String> differing = configuration(1, Tuning.DEFAULT);

    differing.entrySet().removeAll(configuration(2, Tuning.DEFAULT).entrySet());

    assertThat(differing.keySet()).isEqualTo(Set.of("net.port", "storage.dbPath"));
  }

  @Test
  void everythingIsOnLoopbackAndNeedsAPassword() {
    assertThat(configuration(1, Tuning.DEFAULT))
        .containsEntry("net.bindIp", "127.0.0.1")
        .containsEntry("net.unixDomainSocket.enabled", "false")
        .containsEntry("security.authorization", "enabled");
  }

  @Test
  void everyNodeHasItsFilesAndNobodyElseReadsTheSecret() throws IOException {
    MongoNodes.addTo(home, Path.of("/no/such/mongod"), RandomHex.of(16), Tuning.FAST);

    assertThat(home.nodes()).hasSize(3);
    for (int node = 1; node <= 3; node++) {
      assertThat(home.directory(node).resolve("mongod.conf")).isRegularFile();
      assertThat(home.directory(node).resolve("data")).isDirectory();
    }
    Path key = Path.of(configuration(1, Tuning.FAST).get("security.keyFile"));
    assertThat(Files.readString(key)).hasSize(32);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
  }

  /** Reads as much YAML as the configuration is written in: maps, by two spaces each. */
  private Map<String, String> configuration(int node, Tuning tuning) {
    Map<String, String> values = new TreeMap<>();
    Deque<String> path = new ArrayDeque<>();
    for (String line : MongoNodes.configuration(home, node, tuning).lines().toList()) {
      String text = line.strip();
      if (!text.isEmpty() && !text.startsWith("#")) {
        int depth = (line.length() - line.stripLeading().length()) / 2;
        while (path.size() > depth) {
          path.removeLast();
        }
        int colon = text.indexOf(':');
        path.addLast(text.substring(0, colon));
        String value = text.substring(colon + 1).strip();
        if (!value.isEmpty()) {
          List<String> key = new ArrayList<>(path);
          values.put(String.join(".", key), value);
        }
      }
    }
    return values;
  }
}
