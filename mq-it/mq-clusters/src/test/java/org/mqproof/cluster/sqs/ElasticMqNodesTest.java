package org.mqproof.cluster.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;

class ElasticMqNodesTest {

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
  void nothingIsConfirmedBeforeItIsWritten() {
    assertThat(configuration())
        .contains(
            "uri = \"jdbc:h2:file:" + home.directory(1).resolve("data/queues") + ";WRITE_DELAY=0\"")
        .containsOnlyOnce("messages-storage");
  }

  @Test
  void theDatabaseHasItsOwnDelayWhereThatIsAskedFor() {
    System.setProperty(ElasticMqClusterProvider.STORAGE_PROPERTY, "delayed");
    assertThat(configuration())
        .contains("uri = \"jdbc:h2:file:" + home.directory(1).resolve("data/queues") + "\"");
  }

  @Test
  void messagesAreInMemoryWhereThatIsAskedFor() {
    System.setProperty(ElasticMqClusterProvider.STORAGE_PROPERTY, "memory");
    assertThat(configuration()).doesNotContain("messages-storage");
    System.setProperty(ElasticMqClusterProvider.STORAGE_PROPERTY, "tape");
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(this::configuration)
        .withMessage("mqproof.elasticmq.storage must be disk, delayed or memory, was tape");
  }

  @AfterEach
  void forgetTheStorage() {
    System.clearProperty(ElasticMqClusterProvider.STORAGE_PROPERTY);
  }

  @Test
  void theLimitsOfSqsHold() {
    assertThat(configuration()).contains("sqs-limits = strict");
  }

  @Test
  void nobodyElseIsServed() {
    assertThat(configuration())
        .contains("bind-hostname = \"127.0.0.1\"", "bind-port = " + home.port(1))
        .contains("rest-stats.enabled = false");
    assertThat(ElasticMqNodes.endpoint(home)).isEqualTo("http://127.0.0.1:" + home.port(1));
  }

  @Test
  void tuningForTestsChangesNothingOfTheConfiguration() throws Exception {
    ElasticMqNodes.addTo(home, List.of(), Tuning.FAST);

    assertThat(Files.readString(home.directory(1).resolve("elasticmq.conf")))
        .isEqualTo(ElasticMqNodes.configuration(home));
  }

  private String configuration() {
    return ElasticMqNodes.configuration(home).replaceAll("(?m)^\\s*#.*\n", "");
  }
}
