package org.mqproof.cluster.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.XmlText;

class ArtemisNodesTest {

  private static final ArtemisNodes.Journal NIO = new ArtemisNodes.Journal("NIO", true);

  private ClusterHome home;

  @BeforeEach
  void makeHome() {
    home = ClusterHome.create("test");
  }

  @AfterEach
  void closeHome() {
    home.close();
    System.clearProperty(ArtemisClusterProvider.JOURNAL_PROPERTY);
    System.clearProperty(ArtemisClusterProvider.DATASYNC_PROPERTY);
  }

  @Test
  void aLockManagerDecidesWhoIsActiveAmongEquals() {
    String xml = xml(1, Tuning.DEFAULT);

    assertThat(xml)
        .contains("<replication><primary><coordination-id>mqproof-pair-one</coordination-id>")
        .contains("FileBasedLockManager")
        .contains("value=\"" + home.directory().resolve("locks") + "\"")
        .doesNotContain("<backup>");
    assertThat(
            xml(2, Tuning.DEFAULT)
                .replace("node-2", "node-1")
                .replace(":" + home.port(2), ":this")
                .replace(":" + home.port(1), ":other"))
        .as("but for names, ports and directories")
        .isEqualTo(xml.replace(":" + home.port(1), ":this").replace(":" + home.port(2), ":other"));
  }

  @Test
  void noMessageIsThrownAwayAndNoQueueComesOrGoesByItself() {
    assertThat(xml(1, Tuning.DEFAULT))
        .contains("<max-delivery-attempts>-1<")
        .contains("<auto-create-queues>false<")
        .contains("<auto-create-addresses>false<")
        .contains("<auto-delete-queues>false<")
        .contains("<auto-delete-addresses>false<");
  }

  @Test
  void whatIsMeasuredIsNotTuned() {
    assertThat(xml(1, Tuning.DEFAULT))
        .doesNotContain("check-period", "connection-ttl", "retry-interval", "journal-file-size");
  }

  @Test
  void tuningForTestsAddsTimesAndTheSizeOfFilesAndNothingElse() {
    assertThat(
            xml(1, Tuning.FAST)
                .replaceAll("<(check-period|connection-ttl|retry-interval)>\\d+</\\1>", "")
                .replace("<journal-file-size>1M</journal-file-size>", ""))
        .isEqualTo(xml(1, Tuning.DEFAULT));
  }

  @Test
  void theJournalIsNioOnDiskUnlessAskedOtherwise() {
    assertThat(ArtemisClusterProvider.journal()).isEqualTo(NIO);
    assertThat(xml(1, Tuning.DEFAULT))
        .contains("<journal-type>NIO<")
        .contains("<journal-datasync>true<");

    System.setProperty(ArtemisClusterProvider.JOURNAL_PROPERTY, "mapped");
    System.setProperty(ArtemisClusterProvider.DATASYNC_PROPERTY, "false");

    assertThat(ArtemisClusterProvider.journal())
        .isEqualTo(new ArtemisNodes.Journal("MAPPED", false));
    assertThat(
            XmlText.strip(ArtemisNodes.xml(home, 1, ArtemisClusterProvider.journal(), Tuning.FAST)))
        .contains("<journal-type>MAPPED<")
        .contains("<journal-datasync>false<");
  }

  @Test
  void aJournalThatThereIsNotIsAnError() {
    System.setProperty(ArtemisClusterProvider.JOURNAL_PROPERTY, "paper");
    assertThatThrownBy(ArtemisClusterProvider::journal)
        .isInstanceOf(ClusterException.class)
        .hasMessage("mqproof.artemis.journal must be NIO or MAPPED, was paper");

    System.clearProperty(ArtemisClusterProvider.JOURNAL_PROPERTY);
    System.setProperty(ArtemisClusterProvider.DATASYNC_PROPERTY, "yes");
    assertThatThrownBy(ArtemisClusterProvider::journal)
        .isInstanceOf(ClusterException.class)
        .hasMessage("mqproof.artemis.datasync must be true or false, was yes");
  }

  @Test
  void theProgramOfANodeHasTheNameThatIsCopied() {
    assertThat(ArtemisNodes.NODE_MAIN)
        .isEqualTo(ArtemisNodes.class.getPackageName() + ".ArtemisNodeMain");
    assertThat(ArtemisNodes.class.getResource("ArtemisNodeMain.class")).isNotNull();
  }

  private String xml(int node, Tuning tuning) {
    return XmlText.strip(ArtemisNodes.xml(home, node, NIO, tuning));
  }

  @Test
  void theLogSaysSinceWhenANodeIsActive() {
    String active = ArtemisNodeMain.ACTIVE;

    assertThat(ArtemisCluster.activeSince("")).isEmpty();
    assertThat(ArtemisCluster.activeSince("starts\n")).isEmpty();
    assertThat(ArtemisCluster.activeSince("starts\n" + active + "12")).isEmpty();
    assertThat(ArtemisCluster.activeSince("starts\n" + active + "12\nserves\n")).hasValue(12);
    assertThat(ArtemisCluster.activeSince(active + "12\n" + ArtemisNodeMain.PASSIVE + "\n"))
        .isEmpty();
    assertThat(
            ArtemisCluster.activeSince(
                active + "12\n" + ArtemisNodeMain.PASSIVE + "\n" + active + "34\n"))
        .hasValue(34);
  }

  @Test
  void theLogOfAContainerSaysTheSame() {
    String active = "12 2026-11-22 INFO [server] AMQ221007: Server is now active\n";
    String stopped = "34 2026-11-22 INFO [server] AMQ221002: Apache Artemis stopped\n";

    assertThat(ArtemisCluster.activeSince("10 2026-11-22 INFO [server] AMQ221000: starts\n"))
        .isEmpty();
    assertThat(ArtemisCluster.activeSince(active.strip())).isEmpty();
    assertThat(ArtemisCluster.activeSince(active)).hasValue(12);
    assertThat(ArtemisCluster.activeSince(active + stopped)).isEmpty();
    assertThat(ArtemisCluster.activeSince(active + stopped + active.replace("12", "56")))
        .hasValue(56);
  }

  @Test
  void aContainerDiffersInWhereThingsAreAndInNothingElse() {
    String container = XmlText.strip(ArtemisNodes.containerXml(home, 1, NIO, Tuning.DEFAULT));

    assertThat(container)
        .contains("<connector name=\"this\">tcp://node-1:" + home.port(3) + "</connector>")
        .contains("<connector name=\"other\">tcp://node-2:" + home.port(4) + "</connector>")
        .contains(">tcp://0.0.0.0:%d?protocols=CORE</acceptor>".formatted(home.port(1)))
        .contains(">tcp://0.0.0.0:%d?protocols=CORE</acceptor>".formatted(home.port(3)));
    assertThat(withoutPlaces(container)).isEqualTo(withoutPlaces(xml(1, Tuning.DEFAULT)));
  }

  private String withoutPlaces(String xml) {
    return xml.replaceAll("(<acceptor name=\"[^>]*>[^<]*</acceptor>)+", "")
        .replaceAll("tcp://[^<]*", "")
        .replace("/var/lib/artemis-instance", home.directory().resolve("node-1").toString())
        .replace("/mnt/mqproof-locks", home.directory().resolve("locks").toString());
  }
}
