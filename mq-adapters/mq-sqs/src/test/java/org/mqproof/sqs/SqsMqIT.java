package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * What no rule asks for, and what one would look for in SQS. Side by side, each with its own queue:
 * they wait most of the time, and whatever needs every adapter waits for them.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class SqsMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("sqs");

  /** With a client that knows nothing of MqProof, both ways. */
  @Test
  void textIsUnderstoodByOtherPrograms() throws Exception {
    String queue = "text-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("body", "text");
    try (Mq mq = MqProvider.named("sqs").connect(settings);
        SqsAsyncClient other = otherClient(settings)) {
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

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void headersAreAttributesToOtherPrograms(String sdk) throws Exception {
    String queue = "headers-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("body", "text");
    settings.put("sdk", sdk);
    Map<String, String> headers = Map.of("traceparent", "00-ab-01", "greeting", "gr\u00fc\u00df");
    try (Mq mq = MqProvider.named("sqs").connect(settings);
        SqsAsyncClient other = otherClient(settings)) {
      mq.createQueue(queue);
      String url = other.getQueueUrl(r -> r.queueName(queue)).get(20, TimeUnit.SECONDS).queueUrl();
      try (Sender sender = mq.sender(queue);
          Receiver receiver = mq.receiver(queue)) {
        sender.send(List.of(new Message("a".getBytes(UTF_8), headers)));
        var seen =
            other
                .receiveMessage(
                    r ->
                        r.queueUrl(url)
                            .waitTimeSeconds(5)
                            .visibilityTimeout(0)
                            .messageAttributeNames("All"))
                .get(20, TimeUnit.SECONDS)
                .messages();
        assertThat(seen).hasSize(1);
        assertThat(requireNonNull(seen.get(0).messageAttributes().get("traceparent")).stringValue())
            .isEqualTo("00-ab-01");
        Delivery delivery = receive(receiver);
        assertThat(delivery.message().headers()).isEqualTo(headers);
        assertThat(delivery.attempt()).hasValue(2);
        receiver.ack(List.of(delivery)).get(20, TimeUnit.SECONDS);

        other
            .sendMessage(
                r ->
                    r.queueUrl(url)
                        .messageBody("b")
                        .messageAttributes(
                            Map.of(
                                "n", attribute("Number").stringValue("7").build(),
                                "t", attribute("String").stringValue("text").build())))
            .get(20, TimeUnit.SECONDS);
        delivery = receive(receiver);
        assertThat(delivery.message().headers()).containsExactly(Map.entry("t", "text"));
        receiver.ack(List.of(delivery)).get(20, TimeUnit.SECONDS);
      }
      mq.deleteQueue(queue);
    }
  }

  private static MessageAttributeValue.Builder attribute(String type) {
    return MessageAttributeValue.builder().dataType(type);
  }

  private static Delivery receive(Receiver receiver) throws InterruptedException {
    List<Delivery> received = List.of();
    long start = System.nanoTime();
    while (received.isEmpty() && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
      received = receiver.receive(1, Duration.ofSeconds(1));
    }
    assertThat(received).hasSize(1);
    return received.get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void whatIsReleasedGoesToAnotherReceiverAtOnceAndWhatIsExtendedDoesNot(String sdk)
      throws Exception {
    String queue = "release-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("sdk", sdk);
    settings.put("claim.period", "10s");
    try (Mq mq = MqProvider.named("sqs").connect(settings)) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue);
          Receiver holder = mq.receiver(queue);
          Receiver other = mq.receiver(queue)) {
        sender.send(List.of(new Message(new byte[] {1}), new Message(new byte[] {2})));
        List<Delivery> held = List.of(receive(holder), receive(holder));
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        holder.release(held.subList(0, 1)).get(20, TimeUnit.SECONDS);
        Delivery again = receive(other);
        assertThat(end - System.nanoTime()).as("before the claim's end").isPositive();
        assertThat(again.message().body()).isEqualTo(held.get(0).message().body());
        other.ack(List.of(again)).get(20, TimeUnit.SECONDS);

        // Twice before its end, so that it lasts for more than a period.
        for (int i = 0; i < 2; i++) {
          assertThat(other.receive(1, Duration.ofSeconds(6))).isEmpty();
          holder.extend(held).get(20, TimeUnit.SECONDS);
        }
        assertThat(System.nanoTime() - end).isPositive();
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> holder.ack(held).get(20, TimeUnit.SECONDS))
            .satisfies(
                e ->
                    assertThat(((AckFailedException) requireNonNull(e.getCause())).outcomes())
                        .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED));
        assertThat(other.receive(1, Duration.ofSeconds(11))).isEmpty();
      }
      mq.deleteQueue(queue);
    }
  }

  /** A queue that others made: the third delivery sends a message to another queue. */
  @Test
  void aQueueThatGivesItsMessagesAwayIsRefused() throws Exception {
    String queue = "redrive-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = CLUSTER.settings();
    try (SqsAsyncClient other = otherClient(settings)) {
      String dead =
          other.createQueue(r -> r.queueName(queue + "-dead")).get(20, TimeUnit.SECONDS).queueUrl();
      String arn =
          requireNonNull(
              other
                  .getQueueAttributes(
                      r -> r.queueUrl(dead).attributeNames(QueueAttributeName.QUEUE_ARN))
                  .get(20, TimeUnit.SECONDS)
                  .attributes()
                  .get(QueueAttributeName.QUEUE_ARN));
      String policy = "{\"deadLetterTargetArn\":\"%s\",\"maxReceiveCount\":\"3\"}".formatted(arn);
      Object made =
          other
              .createQueue(
                  r ->
                      r.queueName(queue)
                          .attributes(Map.of(QueueAttributeName.REDRIVE_POLICY, policy)))
              .get(20, TimeUnit.SECONDS);
      for (String sdk : List.of("v2", "v1")) {
        Map<String, String> checked = new HashMap<>(settings);
        checked.put("sdk", sdk);
        try (Mq mq = MqProvider.named("sqs").connect(checked)) {
          List<ThrowingCallable> calls =
              List.of(
                  () -> mq.createQueue(queue), () -> mq.sender(queue), () -> mq.receiver(queue));
          for (ThrowingCallable call : calls) {
            assertThatExceptionOfType(MqException.class)
                .isThrownBy(call)
                .withMessageContaining("queue " + queue + " cannot keep what the settings promise:")
                .withMessageContaining("RedrivePolicy is {")
                .withMessageContaining("must be none")
                .withMessageContaining("check.queue=false");
          }
        }
      }
      Map<String, String> unchecked = new HashMap<>(settings);
      unchecked.put("check.queue", "false");
      try (Mq mq = MqProvider.named("sqs").connect(unchecked)) {
        mq.createQueue(queue);
        Sender unused = mq.sender(queue);
        mq.deleteQueue(queue);
      }
      Object unused = other.deleteQueue(r -> r.queueUrl(dead)).get(20, TimeUnit.SECONDS);
      assertThat(made).isNotNull();
    }
  }

  private static SqsAsyncClient otherClient(Map<String, String> settings) {
    return SqsAsyncClient.builder()
        .endpointOverride(URI.create(requireNonNull(settings.get("endpoint"))))
        .region(Region.of("elasticmq"))
        .credentialsProvider(AnonymousCredentialsProvider.create())
        .build();
  }
}
