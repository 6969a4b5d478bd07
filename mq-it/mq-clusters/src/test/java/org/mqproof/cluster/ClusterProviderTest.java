package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

class ClusterProviderTest {

  @Test
  void findsASystemByItsName() {
    assertThat(ClusterProvider.named("kafka").system()).isEqualTo("kafka");
    assertThat(ClusterProvider.named("kafka").whyUnavailable()).isEmpty();
  }

  @Test
  void anUnknownNameListsTheKnownOnes() {
    assertThatThrownBy(() -> ClusterProvider.named("kafak"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no cluster of 'kafak' can be started; found kafka, rabbitmq");
  }

  @Test
  void theBrokerHasTheVersionOfTheClientItIsTestedWith() throws Exception {
    Properties client = new Properties();
    try (InputStream in = Admin.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      client.load(in);
    }

    assertThat(KafkaClusterProvider.VERSION).isEqualTo(client.getProperty("version"));
  }
}
