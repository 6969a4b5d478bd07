package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.util.Properties;
import org.apache.activemq.ActiveMQConnectionMetaData;
import org.apache.activemq.artemis.utils.VersionLoader;
import org.apache.kafka.clients.admin.Admin;
import org.apache.pulsar.PulsarVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.cluster.activemq.ActiveMqClusterProvider;
import org.mqproof.cluster.artemis.ArtemisClusterProvider;
import org.mqproof.cluster.kafka.KafkaClusterProvider;
import org.mqproof.cluster.kafka.KafkaContainersProvider;
import org.mqproof.cluster.process.ClientClass;
import org.mqproof.cluster.pulsar.PulsarClusterProvider;

class ClusterProviderTest {

  @ParameterizedTest
  @ValueSource(strings = {"activemq", "artemis", "kafka", "pulsar", "sqs"})
  void findsASystemByItsName(String system) {
    assertThat(ClusterProvider.named(system).system()).isEqualTo(system);
    assertThat(ClusterProvider.named(system).whyUnavailable()).isEmpty();
  }

  @Test
  void anUnknownNameListsTheKnownOnes() {
    assertThatThrownBy(() -> ClusterProvider.named("kafak"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no cluster of 'kafak' can be started; found activemq, artemis, kafka, mongodb,"
                + " nats, postgresql, pulsar, rabbitmq, rocketmq, sqs, valkey");
  }

  @Test
  void theKindOfNodesIsAskedForByAProperty() {
    System.setProperty(ClusterProvider.NODES_PROPERTY, ClusterProvider.CONTAINERS);
    try {
      assertThat(ClusterProvider.named("kafka")).isInstanceOf(KafkaContainersProvider.class);
      assertThat(ClusterProvider.named("mongodb").whyUnavailable())
          .contains("its nodes cannot be containers: leave out -Dmqproof.nodes");
    } finally {
      System.clearProperty(ClusterProvider.NODES_PROPERTY);
    }
  }

  @Test
  void everyBrokerHasTheVersionOfTheClientItIsTestedWith() throws Exception {
    Properties kafka = new Properties();
    try (InputStream in = Admin.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      kafka.load(in);
    }

    assertThat(KafkaClusterProvider.VERSION).isEqualTo(kafka.getProperty("version"));
    assertThat(ActiveMqClusterProvider.VERSION)
        .isEqualTo(ActiveMQConnectionMetaData.PROVIDER_VERSION);
    assertThat(ArtemisClusterProvider.VERSION)
        .isEqualTo(VersionLoader.getVersion().getFullVersion());
    assertThat(PulsarClusterProvider.VERSION).isEqualTo(PulsarVersion.getVersion());
  }

  @Test
  void aMissingClientIsNamedWithWhatBringsIt() {
    assertThat(ClientClass.whyMissing("no.such.Client", "Kafka", "org:client", "org:adapter"))
        .contains(
            "the Kafka client is not on the class path: add org:client, or org:adapter, which"
                + " brings it");
  }
}
