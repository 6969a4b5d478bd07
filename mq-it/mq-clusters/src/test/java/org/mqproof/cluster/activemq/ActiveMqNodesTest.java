package org.mqproof.cluster.activemq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.XmlText;

class ActiveMqNodesTest {

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
  void nothingIsConfirmedBeforeItIsOnDisk() {
    assertThat(XmlText.strip(xml(1, Tuning.DEFAULT)))
        .contains("journalDiskSyncStrategy=\"always\"")
        .doesNotContain("enableJournalDiskSyncs");
  }

  @Test
  void theJournalAwaitsTheDiskAsAskedFor() {
    System.setProperty(ActiveMqClusterProvider.DISK_SYNC_PROPERTY, "never");
    try {
      assertThat(xml(1, Tuning.FAST)).contains("journalDiskSyncStrategy=\"never\"");
      System.setProperty(ActiveMqClusterProvider.DISK_SYNC_PROPERTY, "sometimes");
      assertThatThrownBy(() -> xml(1, Tuning.FAST))
          .isInstanceOf(ClusterException.class)
          .hasMessage(
              "mqproof.activemq.disk.sync must be always, periodic or never, was sometimes");
    } finally {
      System.clearProperty(ActiveMqClusterProvider.DISK_SYNC_PROPERTY);
    }
  }

  @Test
  void whatIsMeasuredHasNoTunedTimes() {
    assertThat(XmlText.strip(xml(1, Tuning.DEFAULT)))
        .contains("<shared-file-locker/>")
        .doesNotContain("Interval", "Inactivity");
  }

  @Test
  void tuningForTestsChangesTheLockAndTheSilenceAndNothingElse() {
    assertThat(
            XmlText.strip(xml(1, Tuning.FAST))
                .replace(" lockAcquireSleepInterval=\"200\"", "")
                .replace("?wireFormat.maxInactivityDuration=5000", ""))
        .isEqualTo(XmlText.strip(xml(1, Tuning.DEFAULT)));
  }

  @Test
  void theBuffersOfSocketsCanBeAskedFor() {
    System.setProperty(ActiveMqClusterProvider.SOCKET_BUFFER_PROPERTY, "1048576");
    try {
      assertThat(xml(1, Tuning.FAST)).contains("5000&amp;transport.socketBufferSize=1048576\"");
      assertThat(xml(1, Tuning.DEFAULT)).contains("?transport.socketBufferSize=1048576\"");
    } finally {
      System.clearProperty(ActiveMqClusterProvider.SOCKET_BUFFER_PROPERTY);
    }
    assertThat(xml(1, Tuning.DEFAULT)).doesNotContain("socketBufferSize");
  }

  @Test
  void nodesDifferInPortAndDirectoryAndShareTheStore() {
    assertThat(
            XmlText.strip(xml(2, Tuning.DEFAULT))
                .replace("node-2", "node-1")
                .replace(":" + home.port(2), ":" + home.port(1)))
        .isEqualTo(XmlText.strip(xml(1, Tuning.DEFAULT)))
        .contains(home.directory().resolve("shared-store").toString());
  }

  @Test
  void onlyAnAdministratorCreatesQueues() {
    assertThat(XmlText.strip(xml(1, Tuning.DEFAULT)))
        .contains("username=\"mqproof\" password=\"mqproof\" groups=\"users\"")
        .contains("queue=\"&gt;\" read=\"users\" write=\"users\" admin=\"admins\"");
  }

  private String xml(int node, Tuning tuning) {
    return ActiveMqNodes.xml(home, node, ActiveMqKahaDb.STORE, tuning);
  }
}
