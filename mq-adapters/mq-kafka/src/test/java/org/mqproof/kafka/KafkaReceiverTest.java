package org.mqproof.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/** The receiver's own logic, on Kafka's stand-in for its consumer. */
@Timeout(180)
class KafkaReceiverTest {

  private static final TopicPartition P0 = new TopicPartition("q", 0);
  private static final TopicPartition P1 = new TopicPartition("q", 1);
  private static final Duration SOON = Duration.ofSeconds(30);

  /**
   * Kafka's stand-in locks itself during a poll, also against a wake-up, which the real consumer
   * takes at any time; and it forgets the commits of what is given away.
   */
  private static final class CommitsNoted extends MockConsumer<byte[], byte[]> {
    final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
    final AtomicInteger commits = new AtomicInteger();

    CommitsNoted() {
      super("earliest");
    }

    @Override
    public synchronized void commitAsync(
        Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
      commits.incrementAndGet();
      note(offsets);
      super.commitAsync(offsets, callback);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
      note(offsets);
      super.commitSync(offsets, timeout);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the very point
    public void wakeup() {
      CompletableFuture<Void> unused = CompletableFuture.runAsync(super::wakeup);
    }

    private void note(Map<TopicPartition, OffsetAndMetadata> offsets) {
      offsets.forEach((partition, offset) -> committed.put(partition, offset.offset()));
    }
  }

  private final CommitsNoted consumer = new CommitsNoted();
  private final AtomicInteger closes = new AtomicInteger();
  private KafkaReceiver receiver = receiver(Map.of());

  private KafkaReceiver receiver(Map<String, String> settings) {
    return new KafkaReceiver(
        KafkaSettingsTest.settings(settings),
        "q",
        consumer,
        new Liveness(Duration.ofHours(1), bound -> {}, CompletableFuture::new, "gone"),
        (closed, deadline) -> closes.incrementAndGet());
  }

  @BeforeEach
  void assign() {
    consumer.updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
    consumer.schedulePollTask(() -> consumer.rebalance(List.of(P0, P1)));
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  private void records(TopicPartition partition, int first, int count) {
    consumer.schedulePollTask(
        () -> {
          for (int offset = first; offset < first + count; offset++) {
            consumer.addRecord(
                new ConsumerRecord<>(
                    "q", partition.partition(), offset, null, new byte[] {(byte) offset}));
          }
        });
  }

  private List<Delivery> receive(int count) throws InterruptedException {
    List<Delivery> got = new ArrayList<>();
    long start = System.nanoTime();
    while (got.size() < count && System.nanoTime() - start < SOON.toNanos()) {
      got.addAll(receiver.receive(count - got.size(), Duration.ofMillis(100)));
    }
    assertThat(got).hasSize(count);
    return got;
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> ack) throws Exception {
    try {
      ack.get(30, TimeUnit.SECONDS);
      return List.of();
    } catch (ExecutionException e) {
      return ((AckFailedException) requireNonNull(e.getCause())).outcomes();
    }
  }

  private long committed(TopicPartition partition) {
    return consumer.committed.getOrDefault(partition, -1L);
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(SOON.toNanos());
      Thread.onSpinWait();
    }
  }

  @Test
  void anAckIsCommittedWithTheWholePrefixOnly() throws Exception {
    records(P0, 0, 10);
    receiver.start();
    List<Delivery> got = receive(10);
    CompletableFuture<Void> late = receiver.ack(got.subList(5, 10));
    receiver.ack(got.subList(0, 3)).get(30, TimeUnit.SECONDS);
    assertThat(committed(P0)).isEqualTo(3);
    assertThat(late).isNotDone();
    receiver.ack(got.subList(3, 5)).get(30, TimeUnit.SECONDS);
    late.get(30, TimeUnit.SECONDS);
    assertThat(committed(P0)).isEqualTo(10);
  }

  @Test
  void whatIsReleasedComesAgainBeforeAnythingNewer() throws Exception {
    records(P0, 0, 10);
    receiver.start();
    List<Delivery> got = receive(5);
    CompletableFuture<Void> acked = receiver.ack(List.of(got.get(0), got.get(3)));
    receiver.release(List.of(got.get(4), got.get(3))).get(30, TimeUnit.SECONDS);
    receiver.release(List.of(got.get(1), got.get(4))).get(30, TimeUnit.SECONDS);
    List<Delivery> rest = receive(7);
    assertThat(rest)
        .extracting(delivery -> (int) delivery.message().body()[0])
        .containsExactly(1, 4, 5, 6, 7, 8, 9);
    assertThat(rest.get(0)).isNotSameAs(got.get(1));

    CompletableFuture<Void> old = receiver.ack(got);
    receiver.ack(rest).get(30, TimeUnit.SECONDS);
    acked.get(30, TimeUnit.SECONDS);
    assertThat(outcomes(old))
        .as("1 and 4 were released")
        .containsExactly(CONFIRMED, REJECTED, CONFIRMED, CONFIRMED, REJECTED);
    assertThat(committed(P0)).isEqualTo(10);
  }

  @Test
  void claimsNeedNotBeExtended() throws Exception {
    records(P0, 0, 1);
    receiver.start();
    List<Delivery> got = receive(1);
    receiver.extend(got).get(30, TimeUnit.SECONDS);
    KafkaReceiver other = receiver(Map.of());
    assertThatIllegalArgumentException().isThrownBy(() -> other.extend(got));
    assertThatIllegalArgumentException().isThrownBy(() -> other.release(got));
    receiver.close();
    assertThatIllegalStateException().isThrownBy(() -> receiver.extend(got));
    assertThatIllegalStateException().isThrownBy(() -> receiver.release(got));
  }

  @Test
  void recordHeadersThatAreTextsAreHeaders() throws Exception {
    RecordHeaders headers = new RecordHeaders();
    headers.add("traceparent", "00-ab-01".getBytes(UTF_8));
    headers.add("number", new byte[] {0, 0, 0, 7});
    headers.add("latin", new byte[] {(byte) 0xe9});
    headers.add("nothing", null);
    headers.add("not a name", new byte[] {'a'});
    consumer.schedulePollTask(
        () ->
            consumer.addRecord(
                new ConsumerRecord<>(
                    "q",
                    0,
                    0,
                    0,
                    TimestampType.CREATE_TIME,
                    0,
                    0,
                    null,
                    null,
                    headers,
                    Optional.empty())));
    receiver.start();
    Message message = receive(1).get(0).message();
    assertThat(message.headers()).containsExactly(Map.entry("traceparent", "00-ab-01"));
    assertThat(message.body()).isEmpty();
  }

  /** With acks=1 a leader's death can take records along; those after them have their offsets. */
  @Test
  void offsetsThatComeAgainAreOtherRecords() throws Exception {
    records(P0, 0, 10);
    receiver.start();
    List<Delivery> lost = receive(10);
    receiver.ack(lost.subList(0, 3)).get(30, TimeUnit.SECONDS);
    CompletableFuture<Void> waiting = receiver.ack(lost.subList(5, 6));
    consumer.schedulePollTask(() -> consumer.seek(P0, 3));
    records(P0, 3, 4);
    List<Delivery> others = receive(4);

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .withMessageContaining("q-0 lost records with its leader");
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> receiver.ack(lost.subList(4, 5)).get(30, TimeUnit.SECONDS));
    receiver.ack(others).get(30, TimeUnit.SECONDS);
    assertThat(committed(P0)).isEqualTo(7);
  }

  @Test
  void commitsPause() throws Exception {
    receiver = receiver(Map.of("commit.interval", "200ms"));
    records(P0, 0, 100);
    receiver.start();
    List<Delivery> got = receive(100);
    long start = System.nanoTime();
    int acked = 0;
    while (acked < 2 || System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1)) {
      receiver.ack(List.of(got.get(acked))).get(30, TimeUnit.SECONDS);
      acked++;
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertThat(consumer.commits.get()).isBetween(2, (int) (millis / 200) + 1);
  }

  @Test
  void closingCommitsThePrefixAndFailsTheRest() throws Exception {
    receiver = receiver(Map.of("commit.interval", "1h"));
    records(P0, 0, 10);
    receiver.start();
    List<Delivery> got = receive(10);
    CompletableFuture<Void> first = receiver.ack(got.subList(0, 4));
    CompletableFuture<Void> beyond = receiver.ack(got.subList(6, 8));
    receiver.close();
    assertThat(first).isCompleted();
    assertThat(committed(P0)).isEqualTo(4);
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(beyond::get)
        .withCauseInstanceOf(MqException.class);
    assertThat(consumer.closed()).isTrue();
    assertThat(closes).hasPositiveValue();
  }

  @Test
  void aPartitionMovesOnlyWhenItsDeliveriesAreAcked() throws Exception {
    records(P0, 0, 3);
    records(P1, 0, 3);
    receiver.start();
    List<Delivery> got = receive(6);
    CompletableFuture<Void> moved = new CompletableFuture<>();
    consumer.schedulePollTask(
        () -> {
          consumer.rebalance(List.of(P0));
          moved.complete(null);
        });
    List<Delivery> ofP1 =
        got.stream()
            .filter(d -> ((KafkaDelivery) d).partition().topicPartition().equals(P1))
            .toList();
    receiver.ack(ofP1.subList(0, 2)).get(30, TimeUnit.SECONDS);
    assertThat(moved).isNotDone();
    receiver.ack(ofP1.subList(2, 3)).get(30, TimeUnit.SECONDS);
    moved.get(30, TimeUnit.SECONDS);
    assertThat(committed(P1)).isEqualTo(3);
    receiver.ack(ofP1).get(30, TimeUnit.SECONDS); // a second time, after the move
  }

  /** What a dead receiver held is not behind all that a slow one has fetched ahead. */
  @Test
  void partitionsTakeTurnsAndANewOneIsFirst() throws Exception {
    receiver = receiver(Map.of("max.poll.records", "10"));
    records(P0, 0, 15); // more than are fetched ahead
    records(P1, 100, 5);
    CompletableFuture<Void> polled = new CompletableFuture<>();
    consumer.schedulePollTask(() -> polled.complete(null));
    receiver.start();
    polled.get(30, TimeUnit.SECONDS);

    List<Delivery> got = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      got.addAll(receive(2));
    }
    assertThat(got)
        .extracting(delivery -> delivery.message().body()[0])
        .containsExactly(bytes(100, 101, 0, 1, 102, 103));
  }

  private static Byte[] bytes(int... values) {
    return Arrays.stream(values).mapToObj(value -> (byte) value).toArray(Byte[]::new);
  }

  @Test
  void aPartitionThatWasLostFailsItsAcks() throws Exception {
    records(P0, 0, 3);
    receiver.start();
    List<Delivery> got = receive(3);
    consumer.schedulePollTask(() -> consumer.losePartitions(List.of(P0)));
    await(() -> receiver.ack(got.subList(1, 2)).isCompletedExceptionally());
    assertThat(committed(P0)).isEqualTo(-1);
  }

  @Test
  void anotherReceiversDeliveryIsRefused() throws Exception {
    records(P0, 0, 2);
    receiver.start();
    List<Delivery> got = receive(2);
    KafkaReceiver other = receiver(Map.of());
    assertThatIllegalArgumentException().isThrownBy(() -> other.ack(got));
  }

  @Test
  void aFailedConsumerIsToldToWhoReceives() {
    receiver.start();
    consumer.schedulePollTask(() -> consumer.setPollException(new KafkaException("broken")));
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                receiver.receive(1, Duration.ofMillis(100));
              }
            })
        .withMessageContaining("queue q failed and must be opened anew: broken");
  }
}
