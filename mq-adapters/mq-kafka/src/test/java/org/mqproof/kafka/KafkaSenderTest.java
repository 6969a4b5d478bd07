package org.mqproof.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

class KafkaSenderTest {

  private final RuntimeException ok = new RuntimeException("no failure");

  private final List<MockProducer<byte[], byte[]>> made = new ArrayList<>();
  private final SharedProducer producers =
      new SharedProducer(this::make, Duration.ofSeconds(1), Duration.ofSeconds(2));
  private final KafkaSender sender =
      new KafkaSender(
          KafkaSettingsTest.settings(Map.of("max.body.bytes", "10", "call.bound", "3s")),
          "q",
          producers,
          () -> 0,
          closed -> {});

  private Producer<byte[], byte[]> make() {
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public void close(Duration timeout) {
            while (errorNext(new KafkaException("closed forcibly"))) {}
            super.close(timeout);
          }
        };
    made.add(producer);
    return producer;
  }

  @AfterEach
  void close() {
    producers.close();
  }

  private static List<Message> batch(int... sizes) {
    return IntStream.of(sizes).mapToObj(size -> new Message(new byte[size])).toList();
  }

  /** As the producer does, on a thread of its own. */
  private void answer(RuntimeException... answers) {
    for (RuntimeException answer : answers) {
      boolean found =
          CompletableFuture.supplyAsync(
                  () -> {
                    MockProducer<byte[], byte[]> producer = made.get(made.size() - 1);
                    return answer == ok ? producer.completeNext() : producer.errorNext(answer);
                  })
              .join();
      assertThat(found).isTrue();
    }
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> sent) throws Exception {
    try {
      sent.get(30, TimeUnit.SECONDS);
      return List.of();
    } catch (ExecutionException e) {
      return e.getCause() instanceof SendFailedException failed ? failed.outcomes() : List.of();
    }
  }

  @Test
  void completesWhenTheLastMessageIsConfirmed() throws Exception {
    CompletableFuture<Void> sent = sender.sendAsync(batch(1, 2, 3));
    answer(ok, ok);
    assertThat(sent).isNotDone();
    answer(ok);
    assertThat(outcomes(sent)).isEmpty();
  }

  @Test
  void aTimeoutIsUnknownAndARefusalOfTheRecordIsARejection() throws Exception {
    CompletableFuture<Void> sent = sender.sendAsync(batch(1, 2, 3, 4));
    answer(
        ok,
        new TimeoutException("expired"),
        new RecordTooLargeException("broker"),
        new NotEnoughReplicasAfterAppendException("appended"));
    assertThat(outcomes(sent)).containsExactly(CONFIRMED, UNKNOWN, REJECTED, UNKNOWN);
  }

  /** The user sends in a callback: then the producer's own thread is the one that sent. */
  @Test
  void aTimeoutIsUnknownOnTheThreadThatSentAsWell() throws Exception {
    CompletableFuture<Void> sent = sender.sendAsync(batch(1));
    assertThat(made.get(0).errorNext(new TimeoutException("expired"))).isTrue();
    assertThat(outcomes(sent)).containsExactly(UNKNOWN);
  }

  /** As one does that asks a broker without its cluster for its number. */
  @Test
  void aNewProducerThatTellsNothingIsReplaced() throws Exception {
    CompletableFuture<Void> sent = sender.sendAsync(batch(1));
    assertThat(outcomes(sent)).containsExactly(UNKNOWN);

    CompletableFuture<Void> next = sender.sendAsync(batch(1));
    assertThat(made.get(0).closed()).as("before there is another").isTrue();
    answer(ok);
    assertThat(outcomes(next)).isEmpty();
    assertThat(made).hasSize(2);
  }

  @Test
  void aProducerThatHasToldSomethingIsKept() throws Exception {
    CompletableFuture<Void> refused = sender.sendAsync(batch(1));
    answer(new TimeoutException("expired"));
    assertThat(outcomes(refused)).containsExactly(UNKNOWN);
    CompletableFuture<Void> later =
        CompletableFuture.supplyAsync(
            () -> null, CompletableFuture.delayedExecutor(2_500, TimeUnit.MILLISECONDS));
    assertThat(later).succeedsWithin(Duration.ofSeconds(5));
    assertThat(made.get(0).closed()).isFalse();
  }

  @Test
  void aBodyThatIsTooLargeHarmsNoOther() throws Exception {
    CompletableFuture<Void> sent = sender.sendAsync(batch(10, 11, 0));
    answer(ok, ok);
    assertThat(outcomes(sent)).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  @Test
  void headersAreRecordHeadersAndWithoutThemThereAreNone() throws Exception {
    Message with = new Message(new byte[] {1}, Map.of("n", "gr\u00fc\u00df"));
    CompletableFuture<Void> sent = sender.sendAsync(List.of(with, new Message(new byte[] {2})));
    answer(ok, ok);
    assertThat(outcomes(sent)).isEmpty();
    List<ProducerRecord<byte[], byte[]>> records = made.get(0).history();
    assertThat(records.get(0).headers().toArray())
        .containsExactly(new RecordHeader("n", "gr\u00fc\u00df".getBytes(UTF_8)));
    assertThat(records.get(1).headers().toArray()).isEmpty();
  }

  @Test
  void headersCountTowardsTheLargestBody() throws Exception {
    Message tooLarge = new Message(new byte[8], Map.of("n", "ab"));
    Message fits = new Message(new byte[7], Map.of("n", "ab"));
    CompletableFuture<Void> sent = sender.sendAsync(List.of(tooLarge, fits));
    answer(ok);
    assertThat(outcomes(sent)).containsExactly(REJECTED, CONFIRMED);
  }

  @Test
  void aCancelledFutureChangesNothingElse() throws Exception {
    CompletableFuture<Void> cancelled = sender.sendAsync(batch(1));
    CompletableFuture<Void> other = sender.sendAsync(batch(1));
    assertThat(cancelled.cancel(true)).isTrue();
    answer(ok, ok);
    assertThat(outcomes(other)).isEmpty();
    sender.close();
    assertThat(made.get(0).history()).hasSize(2);
  }

  @Test
  void aProducerThatFailedIsReplacedAndWorkGoesOn() throws Exception {
    producers.get();
    made.get(0).sendException = new KafkaException("fatal");
    CompletableFuture<Void> sent = sender.sendAsync(batch(1, 2));
    assertThat(made).hasSize(2);
    assertThat(made.get(0).closed()).isTrue();
    answer(ok);
    assertThat(outcomes(sent)).containsExactly(UNKNOWN, CONFIRMED);
  }

  @Test
  void aProducerThatAnotherSenderGaveUpIsNotUsed() throws Exception {
    producers.get().producer.close();
    CompletableFuture<Void> sent = sender.sendAsync(batch(1));
    assertThat(made).hasSize(2);
    answer(ok);
    assertThat(outcomes(sent)).isEmpty();
  }

  @Test
  void sendThrowsWhenNobodyAnswersInTime() {
    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> sender.send(batch(1, 11)))
        .satisfies(failure -> assertThat(failure.outcomes()).containsExactly(UNKNOWN, REJECTED))
        .withMessageContaining("Kafka at localhost:9092, queue q");
  }

  @Test
  void closingEndsWhatIsOpenAsUnknown() throws Exception {
    CompletableFuture<Void> sent = sender.sendAsync(batch(1, 2));
    answer(ok);
    sender.close();
    assertThat(outcomes(sent)).containsExactly(CONFIRMED, UNKNOWN);
    assertThatIllegalStateException().isThrownBy(() -> sender.sendAsync(batch(1)));
  }

  @Test
  void anInterruptedSendHandsNothingOver() {
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> sender.send(batch(1)));
    assertThat(made).isEmpty();
  }
}
