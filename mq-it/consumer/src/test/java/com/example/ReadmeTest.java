package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** The README's example, on a real cluster of three. */
class ReadmeTest {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("kafka");

  private final List<String> processed = new ArrayList<>();

  @Test
  void theExampleRuns() throws Exception {
    String servers = CLUSTER.settings().get("bootstrap.servers");
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
    assertEquals(List.of("tea"), processed);
  }

  @Test
  void theReadmeShowsIt() throws Exception {
    String source = Files.readString(Path.of("src/test/java/com/example/ReadmeTest.java"));
    String example =
        source.substring(source.indexOf("// example {\n") + 13, source.indexOf("    // }\n"));

    assertTrue(
        Files.readString(Path.of("../../README.md"))
            .contains("```java\n" + example.stripTrailing().stripIndent() + "\n```"));
  }

  private void process(String order) {
    processed.add(order);
  }
}
