package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.junit.jupiter.api.Tag;

/** A real three-node Pulsar. */
@Tag("full")
class PulsarClusterIT extends ReplicatedClusterTests {

  private static final String TOPIC = "persistent://public/default/" + QUEUE;

  PulsarClusterIT() {
    super("pulsar", "Pulsar");
  }

  @Override
  void prepare() throws Exception {
    try (PulsarClient client = client();
        Consumer<byte[]> consumer =
            client.newConsumer().topic(TOPIC).subscriptionName("keeps-them").subscribe()) {
      assertThat(consumer.isConnected()).isTrue();
    }
  }

  @Override
  String addresses() {
    return "service.url";
  }

  @Override
  String breakConfiguration(String text) {
    return text + "managedLedgerDefaultAckQuorum=none\n";
  }

  @Override
  List<String> configurationFileAndError() {
    return List.of("broker.conf", "For input string: \"none\"");
  }

  @Override
  void send(String queue, int count) throws Exception {
    try (PulsarClient client = client();
        Producer<byte[]> producer =
            client.newProducer().topic(TOPIC).sendTimeout(60, TimeUnit.SECONDS).create()) {
      for (int i = 0; i < count; i++) {
        assertThat(producer.send(new byte[100])).isNotNull();
      }
    }
  }

  @Override
  long stored(String queue) throws Exception {
    try (PulsarClient client = client();
        Reader<byte[]> reader =
            client.newReader().topic(TOPIC).startMessageId(MessageId.earliest).create()) {
      int stored = 0;
      while (reader.hasMessageAvailable()) {
        assertThat(reader.readNext()).isNotNull();
        stored++;
      }
      return stored;
    }
  }

  private PulsarClient client() throws Exception {
    return PulsarClient.builder()
        .serviceUrl(setting(addresses()))
        .operationTimeout(60, TimeUnit.SECONDS)
        .maxBackoffInterval(1, TimeUnit.SECONDS)
        .build();
  }
}
