package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.artemis.ArtemisClusterProvider;

/** The journal that is asked for is the one that runs, by what the broker itself says. */
class ArtemisJournalIT {

  private static final String QUEUE = "journal";

  @Test
  void aMappedJournalThatDoesNotAwaitTheDiskRunsAndOutlivesTheActiveNode() throws Exception {
    Map<String, String> variant =
        Map.of(
            ArtemisClusterProvider.JOURNAL_PROPERTY, "MAPPED",
            ArtemisClusterProvider.DATASYNC_PROPERTY, "false");
    try (Cluster cluster = TestCluster.start(TestCluster.runnable("artemis"), variant)) {
      List<String> addresses =
          Arrays.asList(Objects.requireNonNull(cluster.settings().get("addresses")).split(",", -1));
      ArtemisMessages.send(addresses, QUEUE, 10);
      int active = cluster.leader(QUEUE);

      assertThat(configuration(cluster, addresses, active))
          .contains("journalType=MAPPED", "journalDatasync=false");

      cluster.kill(active);
      assertThat(new ArtemisMessages().receive(addresses, QUEUE)).isEqualTo(10);
    }
  }

  /** Has the broker write down the configuration that it runs with. */
  private static List<String> configuration(Cluster cluster, List<String> addresses, int active)
      throws Exception {
    ArtemisMessages.withSession(
        addresses,
        session -> {
          session.start();
          ClientRequestor requestor = new ClientRequestor(session, "activemq.management");
          ClientMessage request = session.createMessage(false);
          ManagementHelper.putOperationInvocation(
              request, ResourceNames.BROKER, "exportConfigAsProperties");
          ClientMessage reply = requestor.request(request, 10_000);
          assertThat(ManagementHelper.hasOperationSucceeded(reply))
              .as("%s", ManagementHelper.getResult(reply))
              .isTrue();
          requestor.close();
        });
    return Files.readAllLines(
        cluster
            .directory()
            .resolve("node-" + active)
            .resolve("tmp")
            .resolve("broker_config_as_properties.txt"));
  }
}
