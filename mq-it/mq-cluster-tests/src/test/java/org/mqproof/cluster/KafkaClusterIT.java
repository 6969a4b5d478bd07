package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.kafka.KafkaClusterProvider;

/** A real three-node Kafka. */
class KafkaClusterIT extends ReplicatedClusterTests {

  KafkaClusterIT() {
    super("kafka", "Kafka");
  }

  @Override
  void prepare() throws Exception {
    messages(QUEUE).createTopic();
  }

  @Override
  String addresses() {
    return "bootstrap.servers";
  }

  private KafkaMessages messages(String queue) {
    return new KafkaMessages(setting(addresses()), queue);
  }

  @Override
  void send(String queue, int count) throws Exception {
    messages(queue).produce(count);
  }

  @Override
  long stored(String queue) throws Exception {
    return messages(queue).endOffset();
  }

  @Override
  void assertCaughtUp(int node) throws Exception {
    assertThat(messages(QUEUE).inSync()).isEqualTo(3);
  }

  @Override
  String breakConfiguration(String text) {
    return text + "min.insync.replicas=none\n";
  }

  @Override
  List<String> configurationFileAndError() {
    return List.of("server.properties", "min.insync.replicas");
  }

  @Test
  void aVersionThatDoesNotExistIsAClearError() {
    assertThatThrownBy(
            () ->
                TestCluster.start(
                    TestCluster.runnable("kafka"),
                    Map.of(KafkaClusterProvider.VERSION_PROPERTY, "0.0.0")))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot resolve Kafka 0.0.0 from Maven Central: ");
  }
}
