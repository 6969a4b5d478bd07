package org.mqproof.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.memory.MemoryBroker;

class MqMetricsTest {

  private static final Duration CLAIM_PERIOD = Duration.ofSeconds(30);

  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
  private final Readings readings = new Readings(registry);
  private final MemoryBroker broker =
      MemoryBroker.builder()
          .claimPeriod(CLAIM_PERIOD)
          .largestBodyBytes(10)
          .callBound(Duration.ofMillis(1))
          .build();
  private final Mq mq = MqMetrics.monitor(registry, broker.connect(), "memory");

  MqMetricsTest() {
    mq.createQueue("q");
  }

  private static List<Message> batch(int... sizes) {
    return Arrays.stream(sizes).mapToObj(size -> new Message(new byte[size])).toList();
  }

  @Test
  void messagesAreCountedByOutcomeAndBatchesByTheWorst() throws Exception {
    Sender sender = mq.sender("q");
    sender.send(batch(1, 2));
    sender.send(List.of());
    sender.sendAsync(batch(1)).join();
    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> sender.send(batch(1, 11, 2)));
    broker.hang();
    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> sender.send(batch(11, 1)));
    assertThat(sender.sendAsync(batch(1))).isCompletedExceptionally();
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> sender.send(batch(1, 1, 1)));
    sender.close();
    assertThatIllegalStateException().isThrownBy(() -> sender.send(batch(1)));

    assertThat(readings.sent(Outcome.CONFIRMED)).isEqualTo(5);
    assertThat(readings.sent(Outcome.REJECTED)).isEqualTo(2);
    assertThat(readings.sent(Outcome.UNKNOWN)).isEqualTo(5);
    assertThat(readings.timed("mqproof.send", "confirmed")).isEqualTo(2);
    assertThat(readings.timed("mqproof.send", "rejected")).isEqualTo(1);
    assertThat(readings.timed("mqproof.send", "unknown")).isEqualTo(3);
  }

  @Test
  void receivesAreTimedByWhatTheyBrought() throws Exception {
    mq.sender("q").send(batch(1, 1, 1));
    Receiver receiver = mq.receiver("q");
    assertThat(receiver.receive(2, Duration.ZERO)).hasSize(2);
    assertThat(receiver.receive(2, Duration.ZERO)).hasSize(1);
    assertThat(receiver.receive(2, Duration.ZERO)).isEmpty();
    broker.refuse();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(2, Duration.ZERO));

    assertThat(readings.deliveries()).isEqualTo(3);
    assertThat(readings.timed("mqproof.receive", "delivered")).isEqualTo(2);
    assertThat(readings.timed("mqproof.receive", "empty")).isEqualTo(1);
    assertThat(readings.timed("mqproof.receive", "failed")).isEqualTo(1);
  }

  @Test
  void processingIsTimedFromTheDeliveryToTheAck() throws Exception {
    mq.sender("q").send(batch(1, 1));
    Receiver receiver = mq.receiver("q");
    List<Delivery> first = receiver.receive(1, Duration.ZERO);
    clock.add(Duration.ofSeconds(3));
    List<Delivery> second = receiver.receive(1, Duration.ZERO);
    clock.add(Duration.ofSeconds(4));
    receiver.ack(List.of(second.get(0), first.get(0))).join();
    receiver.ack(first).join();

    Timer processing = registry.get("mqproof.processing").timer();
    assertThat(processing.count()).isEqualTo(2);
    assertThat(processing.totalTime(TimeUnit.SECONDS)).isEqualTo(7 + 4);
    assertThat(readings.acks(Outcome.CONFIRMED)).isEqualTo(2);
  }

  @Test
  void inFlightIsWhatIsNeitherAckedNorReleasedNorHeldByAClosedReceiver() throws Exception {
    mq.sender("q").send(batch(1, 1, 1, 1, 1, 1));
    Receiver one = mq.receiver("q");
    Receiver other = mq.receiver("q");
    List<Delivery> got = one.receive(4, Duration.ZERO);
    assertThat(other.receive(4, Duration.ZERO)).hasSize(2);
    assertThat(readings.inFlight()).isEqualTo(6);
    one.ack(got.subList(0, 2)).join();
    assertThat(readings.inFlight()).isEqualTo(4);
    one.release(got.subList(1, 3)).join();
    assertThat(readings.inFlight()).isEqualTo(3);
    assertThat(readings.releases("confirmed")).isEqualTo(1);
    other.close();
    assertThat(readings.inFlight()).isEqualTo(1);
    one.close();
    one.close();
    assertThat(readings.inFlight()).isZero();
  }

  @Test
  void aConnectionThatClosesTakesWhatItHeldOutOfASharedGauge() throws Exception {
    Mq other = MqMetrics.monitor(registry, broker.connect(), "memory");
    mq.sender("q").send(batch(1, 1, 1));
    assertThat(mq.receiver("q").receive(1, Duration.ZERO)).hasSize(1);
    assertThat(other.receiver("q").receive(2, Duration.ZERO)).hasSize(2);
    assertThat(readings.inFlight()).isEqualTo(3);
    other.close();
    other.close();
    assertThat(readings.inFlight()).isEqualTo(1);
    mq.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aClaimThatEndedLeavesAndAnExtendedOneStays() throws Exception {
    mq.sender("q").send(batch(1, 1));
    Receiver receiver = mq.receiver("q");
    List<Delivery> got = receiver.receive(2, Duration.ZERO);
    for (int i = 0; i < 4; i++) {
      clock.add(CLAIM_PERIOD.plusSeconds(-1));
      broker.advance(CLAIM_PERIOD.plusSeconds(-1));
      receiver.extend(got.subList(0, 1)).join();
    }
    // The other one has come again.
    assertThat(receiver.receive(2, Duration.ZERO)).hasSize(1);
    assertThat(readings.inFlight()).isEqualTo(2);
    receiver.ack(got.subList(0, 1)).join();
    assertThat(registry.get("mqproof.processing").timer().totalTime(TimeUnit.SECONDS))
        .isEqualTo(4 * 29);
  }

  @Test
  void anAckThatFailedCountsByOutcomeAndMayBeGivenAgain() throws Exception {
    mq.sender("q").send(batch(1, 1));
    Receiver receiver = mq.receiver("q");
    List<Delivery> got = receiver.receive(2, Duration.ZERO);
    broker.hang();
    assertThat(receiver.ack(got)).isCompletedExceptionally();
    assertThat(readings.acks(Outcome.UNKNOWN)).isEqualTo(2);
    assertThat(readings.inFlight()).isEqualTo(2);
    broker.heal();
    receiver.ack(got).join();
    assertThat(readings.acks(Outcome.CONFIRMED)).isEqualTo(2);
    assertThat(readings.processed()).isEqualTo(2);
    assertThat(readings.inFlight()).isZero();
  }

  @Test
  void eachOutcomeOfAnAckIsThatOfItsDelivery() throws Exception {
    Pending inside = new Pending();
    Receiver receiver = inside.receiver(registry);
    List<Delivery> got = receiver.receive(3, Duration.ZERO);
    CompletableFuture<Void> ack = receiver.ack(List.of(got.get(2), got.get(0), got.get(1)));
    assertThat(readings.inFlight()).as("until the ack completes").isEqualTo(3);
    inside.ack.completeExceptionally(
        new AckFailedException(
            "stub", List.of(Outcome.CONFIRMED, Outcome.REJECTED, Outcome.UNKNOWN), null));
    assertThat(ack).isCompletedExceptionally();
    assertThat(readings.inFlight()).isEqualTo(2);
    for (Outcome outcome : Outcome.values()) {
      assertThat(readings.acks(outcome)).as("%s", outcome).isEqualTo(1);
    }
    inside.ack = CompletableFuture.completedFuture(null);
    receiver.ack(got.subList(2, 3)).join();
    assertThat(readings.acks(Outcome.CONFIRMED)).as("was settled before").isEqualTo(1);
    inside.ack = new CompletableFuture<>();
    CompletableFuture<Void> again = receiver.ack(got);
    receiver.close();
    assertThat(readings.inFlight()).as("given to an ack that has not completed").isEqualTo(2);
    inside.ack.complete(null);
    assertThat(again).isCompleted();
    assertThat(readings.acks(Outcome.CONFIRMED)).isEqualTo(3);
    assertThat(readings.inFlight()).isZero();
  }

  @Test
  void anAckThatFailsAfterTheCloseLeavesNothingInFlight() throws Exception {
    Pending inside = new Pending();
    Receiver receiver = inside.receiver(registry);
    CompletableFuture<Void> ack = receiver.ack(receiver.receive(3, Duration.ZERO));
    receiver.close();
    inside.ack.completeExceptionally(new MqException("stub"));
    assertThat(ack).isCompletedExceptionally();
    assertThat(readings.inFlight()).isZero();
  }

  @Test
  void cancellingAFutureLeavesTheOneInsideAlone() throws Exception {
    Pending inside = new Pending();
    Receiver receiver = inside.receiver(registry);
    assertThat(receiver.ack(receiver.receive(3, Duration.ZERO)).cancel(true)).isTrue();
    assertThat(inside.ack).isNotDone();
    inside.ack.complete(null);
    assertThat(readings.acks(Outcome.CONFIRMED)).isEqualTo(3);
  }

  @Test
  void aBatchCountsAsItWasWhenItWasSent() {
    Pending inside = new Pending();
    Sender sender = MqMetrics.monitor(registry, inside, "stub").sender("q");
    List<Message> batch = new ArrayList<>(batch(1, 1, 1));
    CompletableFuture<Void> sent = sender.sendAsync(batch);
    batch.clear(); // the list is the caller's again
    clock.add(Duration.ofSeconds(2));
    inside.sent.complete(null);
    assertThat(sent).isCompleted();
    assertThat(readings.sent(Outcome.CONFIRMED)).isEqualTo(3);
    assertThat(
            registry
                .get("mqproof.send")
                .tag("outcome", "confirmed")
                .timer()
                .totalTime(TimeUnit.SECONDS))
        .isEqualTo(2);
  }

  @Test
  void queuesBeyondTheHundredthShareATag() {
    for (int i = 0; i < 150; i++) {
      mq.createQueue("q" + i);
      mq.sender("q" + i).close();
      mq.receiver("q" + i).close();
    }
    assertThat(registry.get("mqproof.sent").tag("outcome", "confirmed").counters()).hasSize(101);
    assertThat(registry.get("mqproof.in.flight").gauges()).hasSize(101);
    assertThat(registry.get("mqproof.in.flight").tag("queue", "(other)").gauges()).hasSize(1);
    mq.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aQueueThatCannotBeOpenedHasNoMeters() {
    assertThatExceptionOfType(MqException.class).isThrownBy(() -> mq.sender("nowhere"));
    assertThatExceptionOfType(MqException.class).isThrownBy(() -> mq.receiver("nowhere"));
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void whatIsOpenedWhileTheConnectionClosesLeavesNoMeters() {
    Mq[] metered = new Mq[1];
    metered[0] =
        MqMetrics.monitor(
            registry,
            new Pending() {
              @Override
              public Receiver receiver(String queue) {
                metered[0].close();
                return super.receiver(queue);
              }
            },
            "stub");
    metered[0].receiver("q");
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aConnectionOpenedAfterTheLastWasClosedHasMetersAgain() throws Exception {
    mq.sender("q").send(batch(1));
    mq.close();
    assertThat(registry.getMeters()).isEmpty();
    Mq next = MqMetrics.monitor(registry, broker.connect(), "memory");
    next.sender("q").send(batch(1, 1));
    assertThat(readings.sent(Outcome.CONFIRMED)).isEqualTo(2);
  }

  @Test
  void metersHaveTheTagsAndNoOthers() {
    mq.sender("q");
    mq.receiver("q");
    assertThat(registry.getMeters())
        .allSatisfy(
            meter -> {
              assertThat(meter.getId().getTag("system")).isEqualTo("memory");
              assertThat(meter.getId().getTag("mode")).isEqualTo("memory");
              assertThat(meter.getId().getTag("queue")).isEqualTo("q");
              assertThat(meter.getId().getDescription()).isNotEmpty();
              assertThat(meter.getId().getName()).matches("mqproof(\\.[a-z]+)+");
            })
        .hasSize(3 + 3 + 3 + 1 + 1 + 1 + 3 + 2);
  }

  /** Delivers three messages at each receive; its sends and acks complete when told to. */
  private static class Pending implements Mq, Receiver, Sender {

    CompletableFuture<Void> ack = new CompletableFuture<>();
    final CompletableFuture<Void> sent = new CompletableFuture<>();

    Receiver receiver(SimpleMeterRegistry registry) {
      return MqMetrics.monitor(registry, this, "stub").receiver("q");
    }

    @Override
    public Receiver receiver(String queue) {
      return this;
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) {
      return IntStream.range(0, 3)
          .<Delivery>mapToObj(i -> new Numbered(i, new Message(new byte[0])))
          .toList();
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return ack;
    }

    @Override
    public Traits traits() {
      return Traits.mode("stub").build();
    }

    @Override
    public void createQueue(String queue) {}

    @Override
    public void deleteQueue(String queue) {}

    @Override
    public Sender sender(String queue) {
      return this;
    }

    @Override
    public void send(List<Message> batch) {
      sent.join();
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      return sent;
    }

    @Override
    public void close() {}
  }

  private record Numbered(int number, Message message) implements Delivery {}
}
