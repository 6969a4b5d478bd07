package org.mqproof.cluster.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;

class RocketMqNodesTest {

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
  void everyNodeHasPortsOfItsOwn() {
    String second = RocketMqNodes.broker(home, 2, true, Tuning.FAST);

    assertThat(second)
        .contains("listenPort=%d".formatted(home.port(8)), "haListenPort=" + home.port(9))
        .contains(
            "namesrvAddr=127.0.0.1:%d;127.0.0.1:%d;127.0.0.1:%d"
                .formatted(home.port(2), home.port(7), home.port(12)))
        .doesNotContain("0.0.0.0");
    assertThat(RocketMqNodes.nameServer(home, 2, Tuning.FAST))
        .contains("controllerDLegerSelfId=n2", "n3-127.0.0.1:" + home.port(15));
  }

  @Test
  void aConfirmNeedsTwoReplicasAndTheDiskWhereAskedFor() {
    assertThat(RocketMqNodes.broker(home, 1, true, Tuning.DEFAULT))
        .contains("minInSyncReplicas=2", "allAckInSyncStateSet=true", "flushDiskType=SYNC_FLUSH")
        .doesNotContain("haMaxTimeSlaveNotCatchup");
    assertThat(RocketMqNodes.broker(home, 1, false, Tuning.DEFAULT)).contains("ASYNC_FLUSH");
  }

  @Test
  void everyNodeHasItsFiles() throws IOException {
    RocketMqNodes.addTo(home, List.of(), true, Tuning.FAST);

    assertThat(home.nodes()).hasSize(3);
    assertThat(Files.readString(home.directory(3).resolve("broker.properties")))
        .contains("brokerName=mqproof");
    assertThat(home.directory(3).resolve("data")).isDirectory();
  }

  @Test
  void anotherFlushIsRefused() {
    System.setProperty(RocketMqClusterProvider.FLUSH_PROPERTY, "never");
    try {
      assertThatThrownBy(RocketMqClusterProvider::isFlushSync)
          .hasMessage("mqproof.rocketmq.flush must be sync or async, was never");
    } finally {
      System.clearProperty(RocketMqClusterProvider.FLUSH_PROPERTY);
    }
  }
}
