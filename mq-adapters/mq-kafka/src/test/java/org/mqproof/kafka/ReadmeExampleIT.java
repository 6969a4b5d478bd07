package org.mqproof.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** The lines of use that the README shows: they run here, and the README has them as they are. */
class ReadmeExampleIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("kafka");

  private static final String SOURCE =
      "src/test/java/org/mqproof/kafka/" + ReadmeExampleIT.class.getSimpleName() + ".java";

  private final List<String> processed = new ArrayList<>();

  @Test
  void theExampleRuns() throws Exception {
    String servers = String.valueOf(CLUSTER.settings().get("bootstrap.servers"));
    // example {
    try (Mq mq = MqProvider.named("kafka").connect(Map.of("bootstrap.servers", servers))) {
      mq.createQueue("orders");
      try (Sender sender = mq.sender("orders");
          Receiver receiver = mq.receiver("orders")) {
        sender.send(List.of(new Message("tea".getBytes(UTF_8)))); // returned: it is safe
        List<Delivery> deliveries = receiver.receive(10, Duration.ofSeconds(30));
        for (Delivery delivery : deliveries) {
          process(new String(delivery.message().body(), UTF_8));
        }
        receiver.ack(deliveries).get(30, TimeUnit.SECONDS); // will not come back
      }
    }
    // }
    assertThat(processed).containsExactly("tea");
  }

  @Test
  void theReadmeShowsIt() throws Exception {
    String source = Files.readString(Path.of(SOURCE));
    String example =
        source.substring(source.indexOf("// example {\n") + 13, source.indexOf("    // }\n"));

    assertThat(Files.readString(Path.of("../../README.md")))
        .as("the README's example, cut from " + SOURCE)
        // A last line without text would count as one without indentation.
        .contains("```java\n" + example.stripTrailing().stripIndent() + "\n```");
  }

  private void process(String order) {
    processed.add(order);
  }
}
