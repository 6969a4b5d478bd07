package org.mqproof.jms;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.TransactionRolledBackException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

@Timeout(180)
class JmsMqTest {

  static final Setting<Integer> COPIES = Setting.integer("copies", 1, 1, 9, "Copies of a message.");

  private final FakeBroker broker = new FakeBroker();
  private final Map<String, String> given = new HashMap<>(Map.of("addresses", "a:1,b:2"));
  private @Nullable Mq connected;

  @AfterEach
  void nothingIsLeft() {
    if (connected != null) {
      connected.close();
    }
    assertThat(broker.open).hasValue(0);
  }

  private Mq connect() {
    Mq mq = new Provider(broker).connect(given);
    connected = mq;
    return mq;
  }

  private static List<Message> messages(int... sizes) {
    return IntStream.of(sizes).mapToObj(size -> new Message(new byte[size])).toList();
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> sent) throws Exception {
    try {
      sent.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SendFailedException failed) {
        return failed.outcomes();
      }
      throw e;
    }
    return List.of(Outcome.CONFIRMED);
  }

  @Test
  void aQueueThatTheBrokerWouldEmptyIsRefused() {
    broker.brokenPromises =
        List.of("ring-size is 10, must be -1", "durable is false, must be true");
    Mq mq = connect();
    List<ThrowingCallable> calls =
        List.of(() -> mq.createQueue("q"), () -> mq.sender("q"), () -> mq.receiver("q"));
    for (ThrowingCallable call : calls) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(call)
          .withMessageContaining(
              "queue q cannot keep what the settings promise: ring-size is 10, must be -1; durable"
                  + " is false, must be true; change it, or the settings, or set check.queue=false"
                  + " and lose messages");
    }
  }

  @Test
  void aBatchIsOneTransaction() throws Exception {
    connect().sender("q").send(messages(1, 2, 3));
    assertThat(broker.stored).containsExactly(List.of(1, 2, 3));
  }

  @Test
  void whatGathersDuringACommitSharesTheNextOne() throws Exception {
    broker.commitMayEnd = new CompletableFuture<>();
    Mq mq = connect();
    Sender one = mq.sender("q");
    Sender other = mq.sender("r");
    CompletableFuture<Void> first = one.sendAsync(messages(1));
    broker.commitStarted.get();
    CompletableFuture<Void> second = one.sendAsync(messages(2));
    CompletableFuture<Void> third = other.sendAsync(messages(3));
    broker.commitMayEnd.complete(true);
    assertThat(outcomes(first)).containsExactly(Outcome.CONFIRMED);
    assertThat(outcomes(second)).containsExactly(Outcome.CONFIRMED);
    assertThat(outcomes(third)).containsExactly(Outcome.CONFIRMED);
    assertThat(broker.stored).containsExactly(List.of(1), List.of(2, 3));
  }

  @Test
  void aCommitThatFailsIsUnknown() throws Exception {
    Sender sender = connect().sender("q");
    for (JMSException failure :
        List.of(
            new JMSException("AMQ219016: connection failure detected, unblocking a call"),
            new TransactionRolledBackException("said also by clients that gave up"))) {
      broker.commitFailure = failure;
      assertThat(outcomes(sender.sendAsync(messages(1, 2))))
          .containsExactly(Outcome.UNKNOWN, Outcome.UNKNOWN);
    }
    broker.commitFailure = null;
    sender.send(messages(3));
    assertThat(broker.stored).containsExactly(List.of(3));
    assertThat(broker.connections).as("one to ask for the queue, three to send").hasValue(4);
  }

  /** After a failover clients say "rolled back" of a transaction that the old node has stored. */
  @Test
  void aTransactionInDoubtIsUnknownAndNotSentAgain() throws Exception {
    broker.commitFailureAfterStoring = new TransactionRolledBackException("after failover");
    assertThat(outcomes(connect().sender("q").sendAsync(messages(1, 2))))
        .containsExactly(Outcome.UNKNOWN, Outcome.UNKNOWN);
    assertThat(broker.stored).containsExactly(List.of(1, 2));
  }

  @Test
  void aCommitThatTheBrokerRefusesIsRejected() throws Exception {
    broker.commitFailure = new InvalidDestinationException("the broker says so");
    assertThat(outcomes(connect().sender("q").sendAsync(messages(1, 2))))
        .containsExactly(Outcome.REJECTED, Outcome.REJECTED);
  }

  @Test
  void aDeletedQueueIsNotTheFaultOfOthers() throws Exception {
    broker.commitMayEnd = new CompletableFuture<>();
    Mq mq = connect();
    Sender good = mq.sender("q");
    Sender toDeleted = mq.sender("deleted");
    broker.missingQueues.add("deleted");
    CompletableFuture<Void> first = good.sendAsync(messages(1));
    broker.commitStarted.get();
    CompletableFuture<Void> second = good.sendAsync(messages(2));
    CompletableFuture<Void> bad = toDeleted.sendAsync(messages(9));
    CompletableFuture<Void> third = good.sendAsync(messages(3));
    broker.commitMayEnd.complete(true);
    assertThat(outcomes(bad)).containsExactly(Outcome.REJECTED);
    assertThat(outcomes(first)).containsExactly(Outcome.CONFIRMED);
    assertThat(outcomes(second)).containsExactly(Outcome.CONFIRMED);
    assertThat(outcomes(third)).containsExactly(Outcome.CONFIRMED);
    assertThat(broker.stored).containsExactly(List.of(1), List.of(2), List.of(3));
  }

  @Test
  void aBodyTooLargeIsRejectedAndTheRestIsStored() throws Exception {
    given.put("max.body.bytes", "10");
    Mq mq = connect();
    assertThat(outcomes(mq.sender("q").sendAsync(messages(1, 11, 2))))
        .containsExactly(Outcome.CONFIRMED, Outcome.REJECTED, Outcome.CONFIRMED);
    assertThat(broker.stored).containsExactly(List.of(1, 2));
    assertThat(outcomes(mq.sender("q").sendAsync(messages(12)))).containsExactly(Outcome.REJECTED);
  }

  @Test
  void withoutANodeNothingWasSent() throws Exception {
    given.put("call.bound", "3s");
    given.put("silence.bound", "1s");
    Sender sender = connect().sender("q");
    broker.deadAddresses.addAll(List.of("a:1", "b:2"));
    CompletableFuture<Void> sent = sender.sendAsync(messages(1, 2));
    assertThat(outcomes(sent)).containsExactly(Outcome.REJECTED, Outcome.REJECTED);
    assertThatThrownBy(sent::join).hasMessageContaining("a:1,b:2");
  }

  @Test
  void aSenderToAQueueThatIsNotThereIsAnError() {
    broker.missingQueues.add("q");
    Mq mq = connect();
    assertThatThrownBy(() -> mq.sender("q"))
        .isInstanceOf(MqException.class)
        .hasMessageContaining("a:1,b:2: there is no queue q");
  }

  @Test
  void theNodeThatServesIsFound() {
    broker.deadAddresses.add("a:1");
    connect().createQueue("q");
    assertThat(broker.connections).as("one to ask for the queue, which is there").hasValue(1);
  }

  @Test
  void whoSendsAndReceivesNeedsNoAdministrator() throws Exception {
    broker.refused = JmsBroker.Role.ADMIN;
    Mq mq = connect();
    assertThat(outcomes(mq.sender("q").sendAsync(messages(1)))).containsExactly(Outcome.CONFIRMED);
    mq.receiver("q").close();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.deleteQueue("q"))
        .withMessage("Fake at a:1,b:2: no node serves: who are you");
  }

  @Test
  void aRefusalIsNotTriedAgain() {
    broker.refused = JmsBroker.Role.USER;
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(this::connect)
        .withMessage("Fake at a:1,b:2: no node serves: who are you");
    assertThat(broker.refusals).as("once by each address").hasValue(2);
  }

  @Test
  void questionsShareAConnectionWhichIsReplacedWhenItBroke() {
    Mq mq = connect();
    mq.sender("q").close();
    mq.sender("r").close();
    assertThat(broker.connections).hasValue(1);
    broker.askFailures.set(1);
    mq.sender("q").close();
    assertThat(broker.connections).hasValue(2);
    assertThat(broker.open).hasValue(1);
  }

  @Test
  void aQuestionThatHangsHoldsNoCloseBeyondTheBound() throws Exception {
    given.put("call.bound", "9s");
    given.put("silence.bound", "1s");
    broker.answerMayCome = new CompletableFuture<>();
    Mq mq = connect();
    CompletableFuture<Sender> asked = CompletableFuture.supplyAsync(() -> mq.sender("q"));
    broker.questionStarted.get();
    long start = System.nanoTime();
    mq.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    broker.answerMayCome.complete(true);
    assertThatThrownBy(asked::get).hasCauseInstanceOf(IllegalStateException.class);
    // nothingIsLeft: the question's connection, too, ended with it.
  }

  @Test
  void noNodeIsAnErrorThatNamesThem() {
    broker.deadAddresses.addAll(List.of("a:1", "b:2"));
    given.put("connect.bound", "300ms");
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(this::connect)
        .withMessageStartingWith("Fake at a:1,b:2: no node serves: ");
  }

  @Test
  void aCommitThatHangsIsUnknownWithinTheBound() {
    given.put("call.bound", "9s");
    given.put("silence.bound", "1s");
    broker.commitMayEnd = new CompletableFuture<>();
    Sender sender = connect().sender("q");
    long start = System.nanoTime();
    assertThatExceptionOfType(SendFailedException.class)
        .isThrownBy(() -> sender.send(messages(1)))
        .satisfies(e -> assertThat(e.outcomes()).containsExactly(Outcome.UNKNOWN));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(12));
    broker.commitMayEnd.complete(true);
  }

  @Test
  void callbacksGiveEachMessageItsOutcome() throws Exception {
    given.put("send", "async");
    CompletableFuture<Void> sent = connect().sender("q").sendAsync(messages(1, 2, 3));
    await(() -> broker.unconfirmed.size() == 3);
    jakarta.jms.Message any = anyMessage();
    broker.unconfirmed.get(2).onCompletion(any);
    broker.unconfirmed.get(1).onException(any, new InvalidDestinationException("gone"));
    assertThat(sent).isNotDone();
    broker.unconfirmed.get(0).onException(any, new JMSException("lost"));
    assertThat(outcomes(sent))
        .containsExactly(Outcome.UNKNOWN, Outcome.REJECTED, Outcome.CONFIRMED);
  }

  @SuppressWarnings("NullAway") // the lane does not look at it
  private static jakarta.jms.Message anyMessage() {
    return null;
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean() && System.nanoTime() - start < 20_000_000_000L) {
      Thread.onSpinWait();
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  // --- receiving ---

  private Receiver receiving(int count) {
    Receiver receiver = connect().receiver("q");
    for (int i = 0; i < count; i++) {
      broker.sink.join().arrived(i, new Message(new byte[i]));
    }
    return receiver;
  }

  @Test
  void anAckOfAPartNamesThisPart() throws Exception {
    Receiver receiver = receiving(10);
    List<Delivery> held = receiver.receive(10, Duration.ZERO);
    receiver.ack(held.subList(3, 6)).get();
    receiver.ack(List.of(held.get(0), held.get(2), held.get(1))).get();
    receiver.ack(List.of(held.get(6), held.get(9))).get();
    assertThat(broker.acks)
        .containsExactly(
            new JmsSubscription.Run(List.of(3, 4, 5), false),
            new JmsSubscription.Run(List.of(0, 1, 2), true),
            new JmsSubscription.Run(List.of(6), true),
            new JmsSubscription.Run(List.of(9), false));
  }

  @Test
  void anAckCompletesWhenTheBrokerHasSettledIt() throws Exception {
    broker.ackMayEnd = new CompletableFuture<>();
    Receiver receiver = receiving(2);
    List<Delivery> held = receiver.receive(10, Duration.ZERO);
    CompletableFuture<Void> first = receiver.ack(held.subList(0, 1));
    CompletableFuture<Void> again = receiver.ack(held.subList(0, 1));
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> again.get(100, TimeUnit.MILLISECONDS));
    assertThat(first).isNotDone();
    broker.ackMayEnd.complete(true);
    first.get();
    again.get();
    assertThat(broker.acks).containsExactly(new JmsSubscription.Run(List.of(0), true));
  }

  @Test
  void anAckThatFailedEndsTheReceiverAndSaysSo() {
    broker.ackFailure = new JMSException("who knows");
    Receiver receiver = receiving(2);
    assertThatThrownBy(
            () -> receiver.ack(receiver.receive(1, Duration.ZERO)).get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(MqException.class)
        .hasMessageContaining("must be opened anew: who knows");
    assertThatExceptionOfType(MqException.class)
        .as("its other claims are gone too")
        .isThrownBy(() -> receiver.receive(1, Duration.ZERO));
  }

  @Test
  void aClientThatLostItsConnectionEndsAWaitingReceive() {
    Receiver receiver = receiving(0);
    CompletableFuture<Void> failing =
        CompletableFuture.runAsync(() -> broker.sink.join().failed(new JMSException("lost")));
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(1, Duration.ofSeconds(20)))
        .withMessageContaining("lost");
    failing.join();
  }

  @Test
  void aDeletedQueueIsAnErrorWhereTheBrokerTells() throws Exception {
    Receiver receiver = receiving(1);
    broker.ended = true;
    assertThat(receiver.receive(1, Duration.ZERO)).as("what is here already").hasSize(1);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(1, Duration.ZERO))
        .withMessageContaining("queue q failed and must be opened anew: the broker ended it");
  }

  @Test
  void closingFinishesTheAcksThatWereGiven() throws Exception {
    Receiver receiver = receiving(3);
    CompletableFuture<Void> ack = receiver.ack(receiver.receive(2, Duration.ZERO));
    receiver.close();
    assertThat(ack).isCompleted();
    assertThat(broker.acks).containsExactly(new JmsSubscription.Run(List.of(0, 1), true));
  }

  @Test
  void aFullPrefetchWaitsForAcks() throws Exception {
    given.put("prefetch", "2");
    Receiver receiver = receiving(2);
    CompletableFuture<Void> third =
        CompletableFuture.runAsync(
            () -> {
              broker.sink.join().awaitRoom();
              broker.sink.join().arrived(2, new Message(new byte[2]));
            });
    List<Delivery> held = receiver.receive(10, Duration.ZERO);
    assertThat(receiver.receive(10, Duration.ofMillis(100))).isEmpty();
    assertThat(third).isNotDone();
    receiver.ack(held.subList(1, 2)).get();
    assertThat(receiver.receive(10, Duration.ofSeconds(20))).hasSize(1);
    third.join();
  }

  @Test
  void aReleasedMessageComesBeforeNewerOnesAndItsOldDeliveryIsOver() throws Exception {
    Receiver receiver = receiving(4);
    List<Delivery> held = receiver.receive(3, Duration.ZERO);
    receiver.release(List.of(held.get(2), held.get(0), held.get(0))).get();
    receiver.release(held.subList(0, 1)).get();
    List<Delivery> again = receiver.receive(10, Duration.ZERO);

    assertThat(again)
        .extracting(delivery -> delivery.message().body().length)
        .containsExactly(0, 2, 3);
    assertThat(again.get(0)).isNotSameAs(held.get(0));
    assertThat(ackOutcomes(receiver.ack(held)))
        .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED, Outcome.REJECTED);
    receiver.ack(again).get();
    assertThat(broker.acks)
        .containsExactly(
            new JmsSubscription.Run(List.of(1), false),
            new JmsSubscription.Run(List.of(0, 2, 3), true));
  }

  @Test
  void whatIsAckedCannotBeReleased() throws Exception {
    broker.ackMayEnd = new CompletableFuture<>();
    Receiver receiver = receiving(1);
    List<Delivery> held = receiver.receive(1, Duration.ZERO);
    CompletableFuture<Void> ack = receiver.ack(held);
    receiver.release(held).get();
    assertThat(receiver.receive(1, Duration.ZERO)).isEmpty();
    broker.ackMayEnd.complete(true);
    ack.get();
    receiver.release(held).get();
    assertThat(receiver.receive(1, Duration.ZERO)).isEmpty();
  }

  @Test
  void anAckThatFailedTellsWhatIsKnownOfEachDelivery() throws Exception {
    Receiver receiver = receiving(4);
    List<Delivery> held = receiver.receive(4, Duration.ZERO);
    receiver.ack(held.subList(0, 1)).get();
    broker.ackFailure = new JMSException("who knows");
    assertThat(ackOutcomes(receiver.ack(held.subList(0, 2))))
        .containsExactly(Outcome.CONFIRMED, Outcome.UNKNOWN);
    assertThat(ackOutcomes(receiver.ack(held)))
        .containsExactly(Outcome.CONFIRMED, Outcome.UNKNOWN, Outcome.REJECTED, Outcome.REJECTED);
    receiver.ack(held.subList(0, 1)).get();
    assertThat(receiver.release(held.subList(2, 3))).isCompletedExceptionally();
    assertThat(receiver.extend(held.subList(2, 3))).isCompletedExceptionally();
  }

  @Test
  void aClaimNeedsNoExtension() throws Exception {
    Receiver receiver = receiving(2);
    List<Delivery> held = receiver.receive(2, Duration.ZERO);
    receiver.extend(held).get();
    receiver.close();
    List<ThrowingCallable> calls =
        List.of(() -> receiver.extend(held), () -> receiver.release(held));
    assertThat(calls)
        .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(IllegalStateException.class));
  }

  @Test
  void anotherReceiversDeliveriesAreRefused() throws Exception {
    Receiver receiver = receiving(1);
    Mq mq = requireNonNull(connected);
    List<Delivery> held = receiver.receive(1, Duration.ZERO);
    Receiver other = mq.receiver("q");
    List<ThrowingCallable> calls =
        List.of(() -> other.ack(held), () -> other.extend(held), () -> other.release(held));
    assertThat(calls)
        .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class));
  }

  @Test
  void aReservedHeaderIsRejectedAndTheRestIsStored() throws Exception {
    Message reserved = new Message(new byte[3], Map.of("JMSType", "x"));
    Message headers = new Message(new byte[4], Map.of("a.b-c", "x"));
    assertThat(outcomes(connect().sender("q").sendAsync(List.of(reserved, headers))))
        .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED);
    assertThat(broker.stored).containsExactly(List.of(4));
    assertThat(broker.headers).containsExactly(Map.entry("a.b-c", "x"));
  }

  @Test
  void aCallerThatCancelsItsFutureSpoilsNothing() throws Exception {
    broker.commitMayEnd = new CompletableFuture<>();
    Sender sender = connect().sender("q");
    assertThat(sender.sendAsync(messages(1)).cancel(true)).isTrue();
    CompletableFuture<Void> second = sender.sendAsync(messages(2));
    broker.commitMayEnd.complete(true);
    assertThat(outcomes(second)).containsExactly(Outcome.CONFIRMED);
    assertThat(broker.stored.stream().flatMap(List::stream)).containsExactly(1, 2);
  }

  private static List<Outcome> ackOutcomes(CompletableFuture<Void> ack) throws Exception {
    try {
      ack.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AckFailedException failed) {
        return failed.outcomes();
      }
      throw e;
    }
    return List.of();
  }

  /** Stands for the adapter's own provider. */
  record Provider(FakeBroker broker) implements MqProvider {

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public List<Setting<?>> settings() {
      return JmsSettings.with(List.of(COPIES));
    }

    @Override
    public Mq connect(Map<String, String> settings) {
      return JmsMq.connect(
          broker, new JmsSettings("Fake", this, Settings.of(this, settings), COPIES));
    }
  }
}
