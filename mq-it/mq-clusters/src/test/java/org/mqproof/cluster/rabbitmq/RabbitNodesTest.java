package org.mqproof.cluster.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;

class RabbitNodesTest {

  private static final String PASSWORD = "open sesame";

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
  void aNodeAloneStopsServing() throws IOException {
    assertThat(configuration(1, Tuning.DEFAULT))
        .containsEntry("cluster_partition_handling", "pause_minority");
  }

  @Test
  void whatIsMeasuredHasNoTunedTimes() throws IOException {
    assertThat(configuration(1, Tuning.DEFAULT).keySet())
        .isEqualTo(
            Set.of(
                "listeners.tcp.1",
                "vm_memory_high_watermark.relative",
                "cluster_partition_handling",
                "log.connection.level",
                "load_definitions"));
  }

  @Test
  void tuningForTestsAddsATimeAndNothingElse() throws IOException {
    Map<String, String> added = configuration(1, Tuning.FAST);

    added.entrySet().removeAll(configuration(1, Tuning.DEFAULT).entrySet());

    assertThat(added.keySet()).isEqualTo(Set.of("net_ticktime"));
  }

  @Test
  void nodesDifferInPort() throws IOException {
    Map<String, String> differing = configuration(1, Tuning.DEFAULT);

    differing.entrySet().removeAll(configuration(2, Tuning.DEFAULT).entrySet());

    assertThat(differing.keySet()).isEqualTo(Set.of("listeners.tcp.1"));
  }

  @Test
  void nodesDifferInNamePortsAndDirectory() {
    Map<String, String> first = RabbitNodes.environment(home, 1, Tuning.DEFAULT);
    Map<String, String> differing = new TreeMap<>(first);

    differing.entrySet().removeAll(RabbitNodes.environment(home, 2, Tuning.DEFAULT).entrySet());

    assertThat(differing).containsKeys("RABBITMQ_NODENAME", "RABBITMQ_DIST_PORT");
    assertThat(differing)
        .allSatisfy(
            (name, value) ->
                assertThat(
                        name.endsWith("_PORT")
                            || name.equals("RABBITMQ_NODENAME")
                            || value.startsWith(home.directory(1).toString()))
                    .as(name)
                    .isTrue());
  }

  @Test
  void everythingListensOnLoopbackOnly() throws IOException {
    assertThat(configuration(1, Tuning.DEFAULT).get("listeners.tcp.1")).startsWith("127.0.0.1:");
    assertThat(RabbitNodes.environment(home, 1, Tuning.DEFAULT))
        .containsEntry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
        .containsEntry("ERL_EPMD_ADDRESS", "127.0.0.1")
        .containsEntry(
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
  }

  @Test
  void nodesOfTestsDoNotSpin() {
    assertThat(RabbitNodes.environment(home, 1, Tuning.FAST))
        .containsEntry(
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
            "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none");
  }

  @Test
  void noFileOfTheMachineIsRead() {
    Map<String, String> environment =
        new TreeMap<>(RabbitNodes.environment(home, 1, Tuning.DEFAULT));
    assertThat(environment).containsEntry("RABBITMQ_CONF_ENV_FILE", "/dev/null");
    environment.remove("RABBITMQ_CONF_ENV_FILE");

    assertThat(environment.values())
        .noneMatch(
            value -> value.startsWith("/") && !value.startsWith(home.directory().toString()));
    assertThat(environment).containsKeys("RABBITMQ_CONFIG_FILES", "RABBITMQ_ADVANCED_CONFIG_FILE");
  }

  @Test
  void nothingOfThisJvmsEnvironmentReachesANode() {
    Map<String, String> environment =
        new TreeMap<>(
            Map.of(
                "RABBITMQ_NODENAME", "mine",
                "ERL_FLAGS", "-sname mine",
                "NOTIFY_SOCKET", "/run/notify",
                "PATH", "/bin"));

    RabbitNodes.clean(environment);

    assertThat(environment).containsOnlyKeys("PATH");
  }

  @Test
  void aMirrorThatIsNotFilledNeverBecomesTheMaster() {
    assertThat(RabbitNodes.definitions("3.10.8", PASSWORD))
        .contains("\"pattern\": \"^mirrored\\\\.\"")
        .contains("\"ha-mode\": \"all\"")
        .contains("\"ha-sync-mode\": \"automatic\"")
        .contains("\"ha-promote-on-failure\": \"when-synced\"")
        .contains("\"ha-promote-on-shutdown\": \"when-synced\"");
  }

  @Test
  void whereThereAreNoMirroredQueuesThereIsNoPolicy() {
    assertThat(RabbitNodes.definitions("4.0.5", PASSWORD)).contains("\"policies\": []");
  }

  @Test
  void thePasswordIsInNoFile() {
    assertThat(RabbitNodes.definitions("3.10.8", PASSWORD))
        .contains("\"password_hash\"")
        .doesNotContain(PASSWORD);
  }

  private Map<String, String> configuration(int node, Tuning tuning) throws IOException {
    Properties properties = new Properties();
    properties.load(
        new StringReader(
            RabbitNodes.configuration(home, node, tuning, "127.0.0.1", Path.of("/definitions"))));
    Map<String, String> map = new TreeMap<>();
    properties.forEach((key, value) -> map.put(key.toString(), value.toString()));
    return map;
  }
}
