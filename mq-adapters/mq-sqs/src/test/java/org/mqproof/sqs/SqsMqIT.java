package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/** What no rule asks for, and what one would look for in SQS. */
@Timeout(60)
class SqsMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("sqs");

  /** With a client that knows nothing of MqProof, both ways. */
  @Test
  void textIsUnderstoodByOtherPrograms() throws Exception {
    String queue = "text-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("body", "text");
    try (Mq mq = MqProvider.named("sqs").connect(settings);
        SqsAsyncClient other =
            SqsAsyncClient.builder()
                .endpointOverride(URI.create(requireNonNull(settings.get("endpoint"))))
                .region(Region.of("elasticmq"))
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .build()) {
      mq.createQueue(queue);
      String url = other.getQueueUrl(r -> r.queueName(queue)).get(20, TimeUnit.SECONDS).queueUrl();
      other
          .sendMessage(r -> r.queueUrl(url).messageBody("{\"order\": \"茶\"}"))
          .get(20, TimeUnit.SECONDS);
      try (Sender sender = mq.sender(queue);
          Receiver receiver = mq.receiver(queue)) {
        List<Delivery> theirs = new ArrayList<>();
        long start = System.nanoTime();
        while (theirs.isEmpty() && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
          theirs.addAll(receiver.receive(1, Duration.ofSeconds(1)));
        }
        assertThat(theirs)
            .extracting(delivery -> new String(delivery.message().body(), UTF_8))
            .containsExactly("{\"order\": \"茶\"}");
        receiver.ack(theirs).get(20, TimeUnit.SECONDS);

        sender.send(List.of(new Message("{\"sold\": \"茶\"}".getBytes(UTF_8))));
        assertThat(
                other
                    .receiveMessage(r -> r.queueUrl(url).waitTimeSeconds(5))
                    .get(20, TimeUnit.SECONDS)
                    .messages())
            .extracting(message -> message.body())
            .containsExactly("{\"sold\": \"茶\"}");
      }
      mq.deleteQueue(queue);
    }
  }
}
