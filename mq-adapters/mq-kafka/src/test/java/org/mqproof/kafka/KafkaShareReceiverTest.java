package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.Delivery;

/** The receiver's own logic, on a stand-in for Kafka's share consumer. */
@Timeout(180)
class KafkaShareReceiverTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  /**
   * A share consumer whose node answers no fetch but the first two: as Kafka's does then, it keeps
   * the acks that a fetch was to take along.
   */
  private static final class KeepsWhatAFetchTakesAlong {
    private static final TopicIdPartition PARTITION =
        new TopicIdPartition(Uuid.ONE_UUID, new TopicPartition("q", 0));

    private final Set<Long> acknowledged = new HashSet<>();
    private final List<Set<Long>> sent = new ArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private AcknowledgementCommitCallback callback = (offsets, failure) -> {};
    private long next;

    ShareConsumer<byte[], byte[]> consumer() {
      @SuppressWarnings("unchecked")
      ShareConsumer<byte[], byte[]> consumer =
          (ShareConsumer<byte[], byte[]>)
              Proxy.newProxyInstance(
                  ShareConsumer.class.getClassLoader(),
                  new Class<?>[] {ShareConsumer.class},
                  (proxy, method, arguments) -> {
                    switch (method.getName()) {
                      case "setAcknowledgementCommitCallback" ->
                          callback = (AcknowledgementCommitCallback) arguments[0];
                      case "acknowledge" ->
                          acknowledge((ConsumerRecord<?, ?>) arguments[0], arguments[1]);
                      case "commitAsync" -> commit();
                      case "poll" -> {
                        return poll();
                      }
                      default -> {}
                    }
                    return null;
                  });
      return consumer;
    }

    private void acknowledge(ConsumerRecord<?, ?> message, Object type) {
      acknowledged.add(message.offset());
      if (type == AcknowledgeType.RELEASE) {
        released.countDown();
      }
    }

    private void commit() {
      sent.forEach(offsets -> callback.onComplete(Map.of(PARTITION, offsets), null));
      sent.clear();
      if (!acknowledged.isEmpty()) {
        sent.add(Set.copyOf(acknowledged));
        acknowledged.clear();
      }
    }

    private ConsumerRecords<byte[], byte[]> poll() throws InterruptedException {
      acknowledged.clear();
      if (next == 2) {
        Thread.sleep(1);
        return ConsumerRecords.empty();
      }
      var message = new ConsumerRecord<byte[], byte[]>("q", 0, next++, null, new byte[0]);
      return new ConsumerRecords<>(Map.of(PARTITION.topicPartition(), List.of(message)), Map.of());
    }
  }

  private final KeepsWhatAFetchTakesAlong kafka = new KeepsWhatAFetchTakesAlong();
  private @Nullable PollingReceiver started;

  private PollingReceiver receiver(Duration claimPeriod) {
    started =
        new KafkaShareReceiver(
                KafkaSettingsTest.settings(
                    Map.of("receive", "share", "claim.period", claimPeriod.toMillis() + "ms")),
                "q",
                kafka.consumer(),
                new Liveness(Duration.ofMinutes(1), bound -> {}, CompletableFuture::new, "gone"),
                (closed, deadline) -> {})
            .start();
    return started;
  }

  @AfterEach
  void close() {
    if (started != null) {
      started.close();
    }
  }

  @Test
  void anAckHasItsOutcomeWhileTheNextMessageIsHeld() throws Exception {
    // Longer than the test: what is released late comes back from Kafka, but not from the stand-in.
    PollingReceiver receiver = receiver(Duration.ofMinutes(2));
    List<Delivery> first = receiver.receive(1, SOON);
    assertThat(first).hasSize(1);
    CompletableFuture<Void> acked = receiver.ack(first);
    List<Delivery> held = receiver.receive(1, SOON);
    assertThat(held).hasSize(1);
    assertThatNoException().isThrownBy(() -> acked.get(SOON.toSeconds(), TimeUnit.SECONDS));
  }

  @Test
  void whatWaitedInKafkasClientWhileOthersWereHeldIsReleasedWhenItsLockMayHaveEnded()
      throws Exception {
    Duration claimPeriod = Duration.ofSeconds(5);
    PollingReceiver receiver = receiver(claimPeriod);
    List<Delivery> held = receiver.receive(1, SOON);
    assertThat(held).hasSize(1);
    Thread.sleep(claimPeriod.toMillis());
    CompletableFuture<Void> unused = receiver.ack(held);
    assertThat(receiver.receive(1, Duration.ofSeconds(1))).isEmpty();
    assertThat(kafka.released.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }
}
