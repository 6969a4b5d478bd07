package org.mqproof.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.spi.MqProvider;

/** What the reference queue adds to the contract: its time, its faults, its capacity. */
@Timeout(180)
class MemoryBrokerTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void claimsExpireWhenTheTimeIsMoved() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().manualTime().build();
    Mq mq = withQueue(broker);
    mq.sender("q").send(messages("a", "b"));
    Receiver first = mq.receiver("q");
    Receiver second = mq.receiver("q");
    List<Delivery> held = first.receive(2, Duration.ZERO);
    broker.advance(Duration.ofSeconds(30).minusNanos(1));
    assertThat(second.receive(2, Duration.ZERO)).isEmpty();
    broker.advance(Duration.ofNanos(1));
    assertThat(ids(second.receive(2, Duration.ZERO))).containsExactly("a", "b");
    assertThat(first.ack(held)).isCompletedExceptionally();
  }

  @Test
  void aReceiverThatWaitsNoticesThatTimeWasMoved() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().manualTime().build();
    Receiver receiver = withQueue(broker).receiver("q");
    CompletableFuture<List<Delivery>> waiting = inThread(() -> receiver.receive(1, MINUTE));
    while (!waiting.isDone()) { // until the receiver waits, moving the time may come too early
      broker.advance(Duration.ofSeconds(61));
      Thread.onSpinWait();
    }
    assertThat(waiting.join()).isEmpty();
  }

  @Test
  void aReceivedBodyIsTheReceiversOwn() throws Exception {
    Mq mq = withQueue(new MemoryBroker());
    mq.sender("q").send(messages("abc"));
    try (Receiver first = mq.receiver("q")) {
      Arrays.fill(first.receive(1, Duration.ZERO).get(0).message().body(), (byte) 0);
    }
    assertThat(ids(mq.receiver("q").receive(1, Duration.ZERO))).containsExactly("abc");
  }

  @Test
  void redeliveriesComeFirstAndInOrder() throws Exception {
    Mq mq = withQueue(new MemoryBroker());
    mq.sender("q").send(messages("a", "b", "c", "d", "e"));
    Receiver first = mq.receiver("q");
    Receiver second = mq.receiver("q");
    first.receive(1, Duration.ZERO);
    second.receive(2, Duration.ZERO);
    second.close();
    first.close();
    assertThat(ids(mq.receiver("q").receive(9, Duration.ZERO)))
        .containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void aFullQueueLetsASenderWaitAndThenRejects() throws Exception {
    MemoryBroker broker =
        MemoryBroker.builder().capacity(2).callBound(Duration.ofMillis(50)).build();
    Mq mq = withQueue(broker);
    Sender sender = mq.sender("q");
    sender.send(messages("a", "b"));
    SendFailedException full =
        catchThrowableOfType(SendFailedException.class, () -> sender.send(messages("c")));
    assertThat(full.outcomes()).containsExactly(Outcome.REJECTED);
    assertThat(full).hasMessageContaining("memory:unnamed").hasMessageContaining("no room");
    Receiver receiver = mq.receiver("q");
    receiver.ack(receiver.receive(1, Duration.ZERO)).join();
    sender.send(messages("d"));
    assertThat(ids(receiver.receive(9, Duration.ZERO))).containsExactly("b", "d");
  }

  @Test
  void anAckMakesRoomForASenderThatWaits() throws Exception {
    Mq mq = withQueue(MemoryBroker.builder().capacity(1).callBound(MINUTE).build());
    Sender sender = mq.sender("q");
    sender.send(messages("a"));
    CompletableFuture<Boolean> waiting =
        inThread(
            () -> {
              sender.send(messages("b"));
              return true;
            });
    Receiver receiver = mq.receiver("q");
    receiver.ack(receiver.receive(1, MINUTE)).join();
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(ids(receiver.receive(1, MINUTE))).containsExactly("b");
  }

  @Test
  void aSenderThatWaitsForRoomEndsWithItsBroker() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().capacity(1).callBound(MINUTE).build();
    Mq mq = withQueue(broker);
    Sender sender = mq.sender("q");
    sender.send(messages("a"));
    Sending waiting = new Sending(sender);
    broker.refuse();
    assertThat(waiting.outcomes()).containsExactly(Outcome.REJECTED);
  }

  @Test
  void aSenderThatWaitsForRoomStoresNothingOnceItsConnectionIsClosed() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().capacity(1).callBound(MINUTE).build();
    Mq mq = withQueue(broker);
    Sender sender = mq.sender("q");
    sender.send(messages("a"));
    Sending waiting = new Sending(sender);
    mq.close();
    Receiver receiver = broker.connect().receiver("q");
    receiver.ack(receiver.receive(1, Duration.ZERO)).join();
    assertThat(waiting.outcomes()).containsExactly(Outcome.REJECTED);
    assertThat(receiver.receive(1, Duration.ZERO)).isEmpty();
  }

  @Test
  void waitsForRoomAndForAnAnswerAreBoundedTogether() throws Exception {
    MemoryBroker broker =
        MemoryBroker.builder()
            .capacity(1)
            .claimPeriod(MINUTE.multipliedBy(2))
            .callBound(MINUTE)
            .manualTime()
            .build();
    Mq mq = withQueue(broker);
    Sender sender = mq.sender("q");
    sender.send(messages("a"));
    List<Delivery> held = mq.receiver("q").receive(1, Duration.ZERO);
    MemoryQueue queue = broker.queue("q");
    Sending waiting = new Sending(sender);
    broker.advance(Duration.ofSeconds(50));
    broker.hang();
    queue.ack(held); // one that reached the broker before it hung
    waiting.untilItWaitsIn("awaitAnswer");
    broker.advance(Duration.ofSeconds(10));
    assertThat(waiting.outcomes()).containsExactly(Outcome.UNKNOWN);
  }

  /** A thread that sends one message, which fails. */
  private static final class Sending {

    private final CompletableFuture<List<Outcome>> outcomes = new CompletableFuture<>();
    private final Thread thread;

    /** Returns once it waits for room. */
    Sending(Sender sender) {
      thread =
          new Thread(
              () ->
                  outcomes.complete(
                      catchThrowableOfType(
                              SendFailedException.class, () -> sender.send(messages("b")))
                          .outcomes()));
      thread.start();
      untilItWaitsIn("awaitRoom");
    }

    /** Its state alone says too little: a thread that was signalled waits for the lock first. */
    void untilItWaitsIn(String method) {
      long start = System.nanoTime();
      while (!isIn(method) || !isWaiting()) {
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
        Thread.onSpinWait();
      }
    }

    private boolean isIn(String method) {
      return Arrays.stream(thread.getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private boolean isWaiting() {
      Thread.State state = thread.getState();
      return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    List<Outcome> outcomes() throws Exception {
      return outcomes.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void headersOverALimitAreRejectedAndHarmNoOther() throws Exception {
    Mq mq = withQueue(MemoryBroker.builder().mostHeaders(2).largestHeadersBytes(6).build());
    Sender sender = mq.sender("q");
    List<Message> batch =
        List.of(
            new Message(new byte[1], Map.of("a", "1", "b", "2", "c", "3")),
            new Message(new byte[2], Map.of("ab", "\u00e9\u00e9")),
            new Message(new byte[3], Map.of("abc", "\u00e9\u00e9")));
    SendFailedException failure =
        catchThrowableOfType(SendFailedException.class, () -> sender.send(batch));
    assertThat(failure.outcomes())
        .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED, Outcome.REJECTED);
    List<Delivery> got = mq.receiver("q").receive(9, Duration.ZERO);
    assertThat(got)
        .singleElement()
        .extracting(one -> one.message().headers())
        .isEqualTo(Map.of("ab", "\u00e9\u00e9"));
  }

  @Test
  void anExtendedClaimEndsAfterTheOthers() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().manualTime().build();
    Mq mq = withQueue(broker);
    mq.sender("q").send(messages("a", "b", "c"));
    Receiver first = mq.receiver("q");
    Receiver second = mq.receiver("q");
    List<Delivery> held = first.receive(3, Duration.ZERO);
    for (Delivery extended : List.of(held.get(0), held.get(2), held.get(0))) {
      broker.advance(Duration.ofSeconds(10).minusNanos(1));
      first.extend(List.of(extended)).join();
    }
    broker.advance(Duration.ofNanos(3));
    assertThat(ids(second.receive(3, Duration.ZERO))).containsExactly("b");
    assertThat(first.ack(held)).isCompletedExceptionally();
    assertThat(first.extend(held)).isCompletedExceptionally();
  }

  @Test
  void aDeadBrokerRejectsAndEndsClaimsAndHeals() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().name("x").build();
    Mq mq = withQueue(broker);
    Sender sender = mq.sender("q");
    Receiver receiver = mq.receiver("q");
    sender.send(messages("a"));
    List<Delivery> held = receiver.receive(1, Duration.ZERO);
    broker.refuse();
    assertThat(
            catchThrowableOfType(SendFailedException.class, () -> sender.send(messages("b")))
                .outcomes())
        .containsExactly(Outcome.REJECTED);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(1, MINUTE))
        .withMessageContaining("memory:x");
    assertThatExceptionOfType(MqException.class).isThrownBy(broker::connect);
    broker.heal();
    assertThat(receiver.ack(held)).isCompletedExceptionally();
    assertThat(ids(receiver.receive(9, Duration.ZERO))).containsExactly("a");
  }

  @Test
  void aHungBrokerMayHaveStoredWhatNobodyKnowsOf() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().callBound(Duration.ofMillis(20)).build();
    Mq mq = withQueue(broker);
    Sender sender = mq.sender("q");
    Receiver receiver = mq.receiver("q");
    broker.hang();
    assertThat(
            catchThrowableOfType(SendFailedException.class, () -> sender.send(messages("a")))
                .outcomes())
        .containsExactly(Outcome.UNKNOWN);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(1, Duration.ZERO))
        .withMessageContaining("did not answer");
    broker.heal();
    assertThat(ids(receiver.receive(9, Duration.ZERO))).containsExactly("a");
  }

  @Test
  void closingTheConnectionEndsAWaitingReceive() throws Exception {
    Mq mq = withQueue(new MemoryBroker());
    Receiver receiver = mq.receiver("q");
    CompletableFuture<List<Delivery>> waiting = inThread(() -> receiver.receive(1, MINUTE));
    mq.close();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(waiting::join)
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void anInterruptedReceiverDoesNotKeepTheSignalOfAnother() throws Exception {
    Mq mq = withQueue(MemoryBroker.builder().claimPeriod(Duration.ofHours(1)).build());
    Sender sender = mq.sender("q");
    for (int round = 0; round < 200; round++) {
      Waiting first = new Waiting(mq.receiver("q"));
      Waiting second = new Waiting(mq.receiver("q"));
      sender.send(messages("a"));
      first.thread.interrupt(); // it has been signalled, as it waited first, and may not run yet
      assertThat(first.delivered.get(20, TimeUnit.SECONDS) + second.end(first))
          .as("deliveries in round %d", round)
          .isEqualTo(1);
    }
  }

  /** A thread that waits for one message and acks it. */
  private static final class Waiting {

    final CompletableFuture<Integer> delivered = new CompletableFuture<>();
    final Thread thread;

    Waiting(Receiver receiver) {
      thread =
          new Thread(
              () -> {
                try {
                  List<Delivery> batch = receiver.receive(1, MINUTE);
                  receiver.ack(batch).join();
                  delivered.complete(batch.size());
                } catch (InterruptedException e) {
                  delivered.complete(0);
                } catch (RuntimeException e) {
                  delivered.completeExceptionally(e);
                }
              });
      thread.start();
      while (thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
    }

    /** What this one got; it is interrupted if the message went to the other. */
    int end(Waiting other) throws Exception {
      if (other.delivered.get() == 1) {
        thread.interrupt();
      }
      return delivered.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void connectionsOfOneNameShareABroker() throws Exception {
    MqProvider provider = MqProvider.named("memory");
    Map<String, String> settings = Map.of("broker", "shared", "claim.period", "7s");
    try (Mq one = provider.connect(settings)) {
      one.createQueue("q");
      one.sender("q").send(messages("a"));
    }
    try (Mq other = provider.connect(settings)) {
      assertThat(ids(other.receiver("q").receive(1, Duration.ZERO))).containsExactly("a");
      assertThat(other.traits().claimPeriod()).contains(Duration.ofSeconds(7));
      other.deleteQueue("q");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> provider.connect(Map.of("broker", "shared")))
        .withMessageContaining("broker 'shared' was started with claim.period=PT7S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> provider.connect(Map.of("brokers", "x")))
        .withMessageContaining("unknown setting brokers");
  }

  private static Mq withQueue(MemoryBroker broker) {
    Mq mq = broker.connect();
    mq.createQueue("q");
    return mq;
  }

  private static List<Message> messages(String... bodies) {
    return Arrays.stream(bodies).map(body -> new Message(body.getBytes(UTF_8))).toList();
  }

  private static List<String> ids(List<Delivery> batch) {
    return batch.stream().map(delivery -> new String(delivery.message().body(), UTF_8)).toList();
  }

  private interface Call<T> {
    T run() throws InterruptedException;
  }

  private static <T> CompletableFuture<T> inThread(Call<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.run();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
