package org.mqproof.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/** Interrupts and closing: ALO-13, ALO-14. One thread at a time. */
abstract class CallRules extends ReleaseRules {

  /** Polling the JVM's threads and sockets costs about a millisecond each. */
  /**
   * More than the channels, sessions or file descriptors of a connection, as systems limit them.
   */
  private static final int MOST_OPENED = 4_200;

  private static final Duration LONGEST_OPENING = Duration.ofSeconds(1);

  private static final long POLL_INTERVAL_NANOS = 10_000_000;

  // --- ALO-13 ---

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a waiting receive is interrupted soon, and the receiver works on")
  void alo13_aWaitingReceiveIsInterrupted() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    BoundedCall<List<Delivery>> waiting =
        BoundedCall.start("receive", () -> receive(receiver, 10, patience().multipliedBy(2)));
    awaitBlocked(waiting);
    waiting.interrupt();
    requireInterrupted(waiting, "receive");
    List<Message> sent = messages("m", few(5));
    mq.sender(queue).send(sent);
    requireAllThere(idsOf(sent), receiver);
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a receive that finds messages is interrupted too, and they are kept")
  void alo13_aReceiveThatFindsMessagesIsInterrupted() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", few(5));
    mq.sender(queue).send(sent);
    Receiver receiver = mq.receiver(queue);
    BoundedCall<List<Delivery>> call =
        BoundedCall.start(
            "receive",
            () -> {
              Thread.currentThread().interrupt();
              return receive(receiver, 10, patience().multipliedBy(2));
            });
    requireInterrupted(call, "receive with the interrupt already set");
    receiver.close();
    requireAllThere(idsOf(sent), mq.receiver(queue));
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a send is interrupted soon; what was confirmed before is kept")
  void alo13_aSendIsInterrupted() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Set<String> confirmed = new LinkedHashSet<>();
    BoundedCall<@Nullable Void> sending =
        BoundedCall.start(
            "send",
            () -> {
              for (int i = 0; i < 20; i++) {
                List<Message> batch = messages("batch" + i + "-", 3);
                sender.send(batch);
                confirmed.addAll(idsOf(batch));
              }
              Thread.currentThread().interrupt();
              sender.send(messages("interrupted", 3));
              return null;
            });
    requireInterrupted(sending, "send");
    mq.sender(queue).send(messages("later", 2)); // nothing is left behind that it waits for
    Set<String> missing = new LinkedHashSet<>(confirmed);
    missing.removeAll(Set.copyOf(drain(mq.receiver(queue), confirmed)));
    if (!missing.isEmpty()) {
      throw breach("%s were confirmed before an interrupt, and lost", some(missing));
    }
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 sendAsync, ack and close in an interrupted thread are done, or say so")
  void alo13_callsOfAnInterruptedThreadTellTheTruth() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender healthy = mq.sender(queue);
    healthy.send(messages("m", few(4)));
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    long start = now();
    List<Delivery> held = hold(receiver, few(4));
    if (held.isEmpty() || claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the acks");
    }
    List<Message> late = messages("late", 3);
    CompletableFuture<Void> ack = inAnInterruptedThread(() -> receiver.ack(held));
    CompletableFuture<Void> sent = inAnInterruptedThread(() -> sender.sendAsync(late));
    closeInAnInterruptedThread("Sender.close", sender::close);
    closeInAnInterruptedThread("Receiver.close", receiver::close);
    boolean confirmed = settles(sent);
    boolean acked = settles(ack);
    if (!sent.isDone() || !ack.isDone()) {
      throw breach("closed by an interrupted thread, and a future of sendAsync or ack stays open");
    }
    Receiver next = mq.receiver(queue);
    List<String> expected = confirmed ? idsOf(late) : List.of();
    List<String> seen = drain(next, expected);
    seen.addAll(besidesMarker(next, healthy, "marker"));
    if (!seen.containsAll(expected)) {
      throw breach("an interrupted thread had %s confirmed, and %s came", expected, some(seen));
    }
    seen.retainAll(ids(held));
    if (acked && !seen.isEmpty()) {
      throw breach("an interrupted thread acked %s with success, and they came again", some(seen));
    }
  }

  /** The future, or one that failed as the call did. */
  private CompletableFuture<Void> inAnInterruptedThread(Callable<CompletableFuture<Void>> giving)
      throws InterruptedException {
    AtomicBoolean kept = new AtomicBoolean(true);
    BoundedCall<CompletableFuture<Void>> call =
        BoundedCall.start(
            "call",
            () -> {
              Thread.currentThread().interrupt();
              CompletableFuture<Void> given = giving.call();
              kept.set(Thread.currentThread().isInterrupted());
              return given;
            });
    if (!call.endsWithin(traits().callBound().plus(slack()))) {
      throw breach("a call in an interrupted thread still waits%s", call.stack());
    }
    if (!kept.get()) {
      throw breach("a call in an interrupted thread returned, and took the interrupt away");
    }
    Throwable failure = call.failure();
    return failure == null ? call.value() : CompletableFuture.failedFuture(failure);
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 a send that a broker does not answer is interrupted soon")
  void alo13_aSendThatWaitsIsInterrupted() throws Exception {
    BoundedCall<Sender> opening =
        BoundedCall.start("open a sender", () -> track(connectToHung()).sender("nowhere"));
    if (!opening.endsWithin(traits().callBound().multipliedBy(2).plus(slack()))
        || opening.failure() != null) {
      inconclusive("no sender could be opened, so that nothing could be sent");
    }
    Sender sender = opening.value();
    Duration bound = traits().callBound();
    for (int i = 1; i <= TRIES; i++) {
      BoundedCall<@Nullable Void> sending =
          BoundedCall.start(
              "send",
              () -> {
                sender.send(messages("nowhere", 2));
                return null;
              });
      awaitBlocked(sending);
      long interrupted = System.nanoTime();
      sending.interrupt();
      if (!sending.endsWithin(bound.multipliedBy(2).plus(slack()))) {
        inconclusive("send hangs, which breaks ALO-18");
      }
      if (sending.failure() instanceof InterruptedException) {
        return;
      }
      Duration after = sending.endedAfter(interrupted);
      if (i == TRIES && after.compareTo(bound.dividedBy(4)) > 0) {
        throw breach(
            sending.failure(),
            "a send went on for %s after an interrupt, and threw %s",
            after,
            sending.failure());
      }
    }
    inconclusive("a send to a broker that does not answer ended each time as it was interrupted");
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 interrupts at any moment of a receive that finds messages lose none of them")
  void alo13_interruptsWhileMessagesAreTakenLoseNothing() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    InterruptedReceiving receiving = new InterruptedReceiving(receiver, draw(1, 4));
    BoundedCall<@Nullable Void> call = BoundedCall.start("receive", receiving);
    List<String> sent = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; receiving.interrupts() < 400 && !hasPassed(enough(), start); i++) {
      List<Message> batch = messages("batch" + i + "-", 50);
      sender.send(batch);
      sent.addAll(idsOf(batch));
      // Never empty: each interrupt strikes while something is being taken.
      while (receiving.seen() < sent.size() - 25
          && !call.hasEnded()
          && !hasPassed(patience(), start)) {
        spin(random.nextInt(20_000));
        receiving.interrupt(call.thread());
      }
    }
    requireNothingLost(receiving, call, sent, receiver);
  }

  @Checks(AloRule.ALO_13)
  @DisplayName("ALO-13 interrupts at the moment of arrival lose nothing, in many tries")
  void alo13_interruptsAtTheMomentOfArrivalLoseNothing() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    InterruptedReceiving receiving = new InterruptedReceiving(receiver, 10);
    BoundedCall<@Nullable Void> call = BoundedCall.start("receive", receiving);
    List<String> sent = new ArrayList<>();
    long start = System.nanoTime();
    long delayNanos = 1_000;
    long soonestNanos = 0;
    for (int i = 0; i < 400 && (i < 50 || !hasPassed(enough(), start)) && !call.hasEnded(); i++) {
      awaitBlocked(call);
      LockSupport.parkNanos(random.nextInt(500_000));
      List<Message> one = messages("try" + i + "-", 1);
      int seen = receiving.seen();
      CompletableFuture<Void> sending = sender.sendAsync(one);
      long sendingSince = System.nanoTime();
      if (i % 2 == 0) {
        doze(soonestNanos);
        while (call.thread().getState() != Thread.State.RUNNABLE
            && receiving.seen() == seen
            && !hasPassed(oneWait(), sendingSince)) {
          Thread.onSpinWait();
        }
        long arrivedAfter = System.nanoTime() - sendingSince;
        // The soonest of late: grows by an eighth where none is sooner.
        soonestNanos = i == 0 ? arrivedAfter : Math.min(arrivedAfter, soonestNanos * 9 / 8);
        spin(random.nextInt(40_000));
      } else {
        doze(delayNanos);
        spin(delayNanos - (System.nanoTime() - sendingSince));
      }
      boolean tooLate = receiving.seen() > seen;
      receiving.interrupt(call.thread());
      sending.get(patience().toMillis(), TimeUnit.MILLISECONDS);
      sent.addAll(idsOf(one));
      long sentAt = System.nanoTime();
      while (receiving.seen() == seen && !call.hasEnded() && !hasPassed(oneWait(), sentAt)) {
        LockSupport.parkNanos(50_000);
      }
      // Closes in on the moment of arrival from both sides.
      delayNanos = Math.max(500, tooLate ? delayNanos * 2 / 3 : delayNanos * 5 / 4);
    }
    requireNothingLost(receiving, call, sent, receiver);
  }

  /** Sleeps through what is not near the moment: a thread that sleeps may wake that much later. */
  private static void doze(long nanos) {
    long marginNanos = Math.max(250_000, nanos / 4);
    if (nanos > marginNanos) {
      LockSupport.parkNanos(nanos - marginNanos);
    }
  }

  private static void spin(long nanos) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  private void requireNothingLost(
      InterruptedReceiving receiving,
      BoundedCall<@Nullable Void> call,
      List<String> sent,
      Receiver receiver)
      throws InterruptedException {
    receiving.end();
    if (!call.endsWithinAnother(hangBound().plus(oneWait()))) {
      throw breach("receive went on for %s after its timeout%s", hangBound(), call.stack());
    }
    if (call.failure() != null) {
      throw breach(call.failure(), "an interrupted receive threw %s", call.failure());
    }
    Set<String> missing = new LinkedHashSet<>(sent);
    missing.removeAll(receiving.ids());
    // Without closing the receiver: what it took and did not return must come with a later call.
    long start = now();
    Waiting waiting = new Waiting(patience());
    while (!missing.isEmpty() && !waiting.isOver() && !claimsMayBeAt(0.6, start)) {
      List<Delivery> got = receive(receiver, missing.size(), oneWait());
      waiting.progress(missing.removeAll(Set.copyOf(ids(got))));
      ackIfPossible(receiver, got); // some receivers hold one at a time
    }
    if (!missing.isEmpty()) {
      throw breach(
          "of %d messages %s were lost by one of %d interrupts",
          sent.size(), some(missing), receiving.interrupts());
    }
  }

  /** Receives and acks; interrupts strike only the receive. Thread-safe. */
  private final class InterruptedReceiving implements Callable<@Nullable Void> {

    private final Receiver receiver;
    private final int max;
    private final Set<String> ids = ConcurrentHashMap.newKeySet();
    private final AtomicInteger interrupts = new AtomicInteger();
    private volatile boolean ended;
    private boolean inReceive;

    InterruptedReceiving(Receiver receiver, int max) {
      this.receiver = receiver;
      this.max = max;
    }

    @Override
    public @Nullable Void call() throws Exception {
      while (!ended) {
        enter();
        List<Delivery> got = List.of();
        try {
          got = receive(receiver, max, oneWait());
        } catch (InterruptedException e) {
          interrupts.incrementAndGet();
        } finally {
          leave();
        }
        if (!got.isEmpty()) {
          ackIfPossible(receiver, got);
          ids.addAll(KitFixture.ids(got));
        }
      }
      return null;
    }

    private synchronized void enter() {
      inReceive = true;
    }

    private synchronized void leave() {
      inReceive = false;
      if (Thread.interrupted()) {
        interrupts.incrementAndGet(); // it came too late for the call
      }
    }

    synchronized void interrupt(Thread thread) {
      if (inReceive) {
        thread.interrupt();
      }
    }

    int interrupts() {
      return interrupts.get();
    }

    int seen() {
      return ids.size();
    }

    Set<String> ids() {
      return ids;
    }

    void end() {
      ended = true;
    }
  }

  private void requireInterrupted(BoundedCall<?> call, String what) throws InterruptedException {
    if (!call.endsWithinAnother(hangBound())) {
      throw breach("%s went on for %s after the interrupt%s", what, hangBound(), call.stack());
    }
    Throwable failure = call.failure();
    if (!(failure instanceof InterruptedException)) {
      throw breach(
          failure,
          "an interrupted %s %s",
          what,
          failure == null ? "returned as if nothing had happened" : "threw " + failure);
    }
  }

  private void requireAllThere(Collection<String> sent, Receiver receiver)
      throws InterruptedException {
    Set<String> missing = missingFrom(receiver, sent);
    if (!missing.isEmpty()) {
      throw breach("%s were lost by an interrupt", some(missing));
    }
  }

  // --- ALO-14 ---

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 close can be called again")
  void alo14_closeIsIdempotent() throws Exception {
    Mq mq = connect();
    String queue = newQueue(mq);
    Sender otherSender = mq.sender(queue);
    Receiver otherReceiver = mq.receiver(queue);
    boolean othersWork = isDelivered("before", otherSender, otherReceiver);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    Map<String, Executable> closes = new LinkedHashMap<>();
    closes.put("Sender.close", sender::close);
    closes.put("Receiver.close", receiver::close);
    closes.put("Mq.close", mq::close);
    for (Map.Entry<String, Executable> close : closes.entrySet()) {
      if (othersWork && close.getKey().equals("Mq.close")) {
        requireThatOthersWork(otherSender, otherReceiver);
      }
      runClose(close.getKey(), close.getValue());
      runClose("a second " + close.getKey(), close.getValue());
    }
    for (Map.Entry<String, Executable> close : closes.entrySet()) {
      runClose(close.getKey() + " after all was closed", close.getValue());
    }
  }

  private boolean isDelivered(String name, Sender sender, Receiver receiver) throws Exception {
    sender.send(messages(name, 1));
    List<Delivery> got = hold(receiver, 1);
    ackIfPossible(receiver, got);
    return !got.isEmpty();
  }

  private void requireThatOthersWork(Sender sender, Receiver receiver) throws Exception {
    String after = "after a sender and a receiver of its connection were closed twice";
    try {
      if (!isDelivered("after", sender, receiver)) {
        throw breach("%s another receiver got nothing for %s", after, patience());
      }
    } catch (MqException | IllegalStateException e) {
      throw breach(e, "%s another one failed: %s", after, e);
    }
  }

  private void runClose(String what, Executable close) {
    try {
      close.execute();
    } catch (Throwable e) {
      throw breach(e, "%s threw %s", what, e);
    }
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 calls on a closed sender or receiver throw IllegalStateException")
  void alo14_aClosedSenderOrReceiverRefusesCalls() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    List<Delivery> held = List.copyOf(collect(receiver, 1).values());
    sender.close();
    receiver.close();
    requireRefusal("after Sender.close, send", () -> sender.send(messages("late", 1)));
    requireRefusal("after Sender.close, sendAsync", () -> sender.sendAsync(messages("late", 1)));
    requireRefusal("after Sender.close, send of nothing", () -> sender.send(List.of()));
    requireRefusal("after Sender.close, sendAsync of nothing", () -> sender.sendAsync(List.of()));
    requireRefusal("after Receiver.close, ack of nothing", () -> receiver.ack(List.of()));
    requireRefusal("after Receiver.close, receive", () -> receiver.receive(1, Duration.ZERO));
    requireRefusal("after Receiver.close, ack", () -> receiver.ack(held));
    if (canRelease(receiver)) {
      requireRefusal("after Receiver.close, release", () -> receiver.release(held));
    }
    if (canExtend(receiver)) {
      requireRefusal("after Receiver.close, extend", () -> receiver.extend(held));
    }
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 closing the connection closes what was made from it")
  void alo14_aClosedConnectionRefusesCalls() throws Exception {
    Mq mq = connect();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    mq.close();
    requireRefusal("after Mq.close, createQueue", () -> mq.createQueue(queue));
    requireRefusal("after Mq.close, deleteQueue", () -> mq.deleteQueue(queue));
    requireRefusal("after Mq.close, sender", () -> mq.sender(queue));
    requireRefusal("after Mq.close, receiver", () -> mq.receiver(queue));
    requireRefusal("after Mq.close, send", () -> sender.send(messages("late", 1)));
    requireRefusal("after Mq.close, sendAsync", () -> sender.sendAsync(messages("late", 1)));
    requireRefusal("after Mq.close, receive", () -> receiver.receive(1, Duration.ZERO));
    requireRefusal("after Mq.close, ack", () -> receiver.ack(List.of()));
    if (canRelease(receiver)) {
      requireRefusal("after Mq.close, release", () -> receiver.release(List.of()));
    }
    if (canExtend(receiver)) {
      requireRefusal("after Mq.close, extend", () -> receiver.extend(List.of()));
    }
    if (!mq.traits().toString().equals(traits().toString())) {
      throw breach("after Mq.close, traits() was %s", mq.traits());
    }
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 several threads may close a connection at the same time, while calls run")
  void alo14_severalThreadsCloseWhileCallsRun() throws Exception {
    long start = System.nanoTime();
    for (int i = 0; i < 5 && !hasPassed(enough(), start); i++) { // threads may miss each other
      closeByFourThreads();
    }
  }

  private void closeByFourThreads() throws Exception {
    Mq mq = connect();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    Sender sender = mq.sender(queue);
    CountDownLatch sent = new CountDownLatch(1);
    BoundedCall<List<Delivery>> receiving =
        BoundedCall.start("receive", () -> receive(receiver, 1, patience().multipliedBy(4)));
    BoundedCall<@Nullable Void> sending =
        BoundedCall.start("send", () -> sendUntilRefused(mq.sender(newQueue(mq)), sent));
    requireInTime(sent);
    awaitBlocked(receiving);
    CountDownLatch go = new CountDownLatch(1);
    List<BoundedCall<@Nullable Void>> closes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      closes.add(
          BoundedCall.start(
              "close",
              () -> {
                requireInTime(go);
                mq.close();
                return null;
              }));
    }
    go.countDown();
    for (BoundedCall<@Nullable Void> close : closes) {
      requireEndOfClose(close, "Mq.close by four threads");
      if (close.failure() != null) {
        throw breach(close.failure(), "Mq.close by four threads threw %s", close.failure());
      }
    }
    requireEndOfClose(receiving, "a receive, after Mq.close by another thread,");
    requireEndOfClose(sending, "a send, after Mq.close by another thread,");
    requireRefusal("after Mq.close by four threads, send", () -> sender.send(messages("late", 1)));
    requireRefusal(
        "after Mq.close by four threads, receive", () -> receiver.receive(1, Duration.ZERO));
  }

  private void requireEndOfClose(BoundedCall<?> call, String what) throws InterruptedException {
    if (!call.endsWithinAnother(traits().callBound().plus(slack()))) {
      throw breach("%s still waits%s", what, call.stack());
    }
  }

  private @Nullable Void sendUntilRefused(Sender sender, CountDownLatch sent)
      throws InterruptedException {
    try {
      for (int i = 0; i < 100_000; i++) {
        sender.send(messages("m" + i + "-", 1));
        sent.countDown();
      }
    } catch (IllegalStateException | MqException e) {
      // closed, as it should be
    }
    return null;
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 what is opened while its connection closes is refused, or closed too")
  void alo14_openingAgainstCloseLeavesNothingOpen() throws Exception {
    Mq keeper = open();
    String queue = newQueue(keeper);
    long start = System.nanoTime();
    for (int i = 0; i < 30 && !hasPassed(enough(), start); i++) {
      openAgainstClose(queue);
    }
  }

  /** Opens from several threads until the connection, which is closed meanwhile, refuses. */
  private void openAgainstClose(String queue) throws Exception {
    Mq mq = connect();
    Collection<Sender> senders = new ConcurrentLinkedQueue<>();
    Collection<Receiver> receivers = new ConcurrentLinkedQueue<>();
    CountDownLatch opened = new CountDownLatch(2);
    List<BoundedCall<@Nullable Void>> opening = new ArrayList<>();
    opening.add(
        BoundedCall.start(
            "sender", () -> openUntilRefused(() -> senders.add(mq.sender(queue)), opened)));
    opening.add(
        BoundedCall.start(
            "receiver", () -> openUntilRefused(() -> receivers.add(mq.receiver(queue)), opened)));
    requireInTime(opened);
    spin(random.nextInt(50_000));
    BoundedCall<@Nullable Void> close =
        BoundedCall.start(
            "close",
            () -> {
              mq.close();
              return null;
            });
    requireEndOfClose(close, "Mq.close while senders and receivers are opened");
    if (close.failure() != null) {
      throw breach(close.failure(), "Mq.close while something is opened threw %s", close.failure());
    }
    for (BoundedCall<@Nullable Void> call : opening) {
      requireEndOfClose(call, "opening, while Mq.close runs,");
      if (call.failure() != null) {
        throw breach(call.failure(), "opening while Mq.close runs threw %s", call.failure());
      }
    }
    for (Sender sender : senders) {
      requireRefusal(
          "on a sender opened while Mq.close ran, send", () -> sender.send(messages("late", 1)));
    }
    for (Receiver receiver : receivers) {
      requireRefusal(
          "on a receiver opened while Mq.close ran, receive",
          () -> receiver.receive(1, Duration.ZERO));
    }
  }

  private static @Nullable Void openUntilRefused(Callable<?> open, CountDownLatch opened)
      throws Exception {
    try {
      for (int i = 0; i < 1_000; i++) {
        Object one = open.call();
        assert one != null;
        opened.countDown();
        LockSupport.parkNanos(20_000); // else a client in memory has made all before the close
      }
    } catch (IllegalStateException e) {
      // closed, as it should be
    } catch (MqException e) {
      // the connection went away in the middle of it
    } finally {
      opened.countDown();
    }
    return null;
  }

  private void requireRefusal(String what, Executable call) {
    try {
      call.execute();
    } catch (IllegalStateException e) {
      return;
    } catch (Throwable e) {
      throw breach(e, "%s threw no IllegalStateException but %s", what, e);
    }
    throw breach("%s threw no IllegalStateException, and returned", what);
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 close finishes the acks whose futures their caller cancelled or completed")
  void alo14_aFutureOfAnAckIsTheCallersOwn() throws Exception {
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(12)));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> held = hold(first, few(12));
    if (claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the acks");
    }
    for (int i = 0; i < held.size(); i++) {
      endByItsCaller(i, first.ack(List.of(held.get(i))));
    }
    BoundedCall<@Nullable Void> close =
        BoundedCall.start(
            "close",
            () -> {
              first.close();
              return null;
            });
    requireEndOfClose(close, "Receiver.close, after futures of acks were cancelled,");
    if (close.failure() != null) {
      throw breach(close.failure(), "Receiver.close threw %s", close.failure());
    }
    if (claimsMayHaveEnded(start)) {
      inconclusive("the claims may have ended before the acks");
    }
    Set<String> back = new LinkedHashSet<>(besidesMarker(mq.receiver(queue), sender, "marker"));
    back.retainAll(ids(held));
    if (!back.isEmpty()) {
      throw breach(
          "%s were acked, their callers cancelled or completed the futures, and they came again",
          some(back));
    }
  }

  @Checks(AloRule.ALO_14)
  @DisplayName("ALO-14 senders and receivers that closed leave room for thousands more")
  void alo14_closedOnesLeaveRoom() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    long start = System.nanoTime();
    for (int i = 1; i <= MOST_OPENED; i++) {
      if (hasPassed(LONGEST_OPENING, start)) {
        inconclusive("%d senders and receivers were opened in %s, not more", i, LONGEST_OPENING);
      }
      try {
        mq.sender(queue).close();
        mq.receiver(queue).close();
      } catch (MqException e) {
        throw breach(e, "%d senders and receivers were closed, and no other can be opened", i);
      }
    }
  }

  @Checks(AloRule.ALO_14)
  @ResourceLock(Checks.THREADS_AND_SOCKETS)
  @DisplayName("ALO-14 no thread and no connection is left by opening while the connection closes")
  void alo14_nothingIsLeftByOpeningAgainstClose() throws Exception {
    Mq keeper = open();
    String queue = newQueue(keeper);
    keeper.sender(queue).send(messages("m", 1)); // what the client starts once is there
    Leftovers before = Leftovers.now();
    long start = System.nanoTime();
    for (int i = 0; i < 10 && !hasPassed(enough(), start); i++) {
      openAgainstClose(queue);
    }
    requireNothingLeft(before, "opening senders and receivers while their connection closed");
  }

  @Checks(AloRule.ALO_14)
  @ResourceLock(Checks.THREADS_AND_SOCKETS)
  @DisplayName("ALO-14 no thread and no connection is left, whatever was called")
  void alo14_nothingIsLeft() throws Exception {
    Leftovers before = Leftovers.now();
    Mq mq = connect();
    String queue = newQueue(mq);
    for (boolean closedByItself : new boolean[] {true, false}) {
      Sender sender = mq.sender(queue);
      Receiver receiver = mq.receiver(queue);
      sendInEveryWay(sender, closedByItself ? "closed" : "open");
      receiveInEveryWay(receiver);
      if (closedByItself) {
        sender.close();
        receiver.close();
      }
    }
    callWithErrors(mq);
    mq.deleteQueue(queue);
    mq.close();
    requireNothingLeft(before, "a connection that was used and closed");
  }

  private void sendInEveryWay(Sender sender, String prefix) throws Exception {
    List<Message> sent = messages(prefix, 12);
    sender.send(sent.subList(0, 2));
    sender.sendAsync(sent.subList(2, 5)).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    for (int i = 5; i < 9; i++) {
      endByItsCaller(i, sender.sendAsync(sent.subList(i, i + 1)));
    }
    sender.send(sent.subList(9, 12));
    BoundedCall<@Nullable Void> interrupted =
        BoundedCall.start(
            "send",
            () -> {
              Thread.currentThread().interrupt();
              sender.send(messages("interrupted", 1));
              return null;
            });
    if (!interrupted.endsWithin(hangBound())) {
      inconclusive("an interrupted send goes on, which breaks ALO-13");
    }
    int largest = traits().largestBodyBytes();
    if (largest < LARGEST_CHECKED_BYTES) {
      try {
        sender.send(List.of(new Message(new byte[largest + 1])));
      } catch (SendFailedException e) {
        // as it should; ALO-04 looks at the outcome
      }
    }
  }

  /** Every call of a receiver, some with futures that their caller ends. */
  private void receiveInEveryWay(Receiver receiver) throws Exception {
    List<Delivery> held = hold(receiver, few(6));
    if (canExtend(receiver)) {
      boolean unused = settles(receiver.extend(held));
      for (int i = 0; i < held.size(); i++) {
        endByItsCaller(i, receiver.extend(held.subList(i, i + 1)));
      }
    }
    if (canRelease(receiver) && held.size() > 1) {
      boolean unused = settles(receiver.release(held.subList(0, 1)));
      endByItsCaller(0, receiver.release(held.subList(0, 2)));
    }
    for (int i = 0; i < held.size(); i++) {
      endByItsCaller(i, receiver.ack(held.subList(i, i + 1)));
    }
    List<Delivery> rest = held;
    for (int i = 0; i < 20 && !rest.isEmpty(); i++) {
      CompletableFuture<Void> unused = receiver.ack(rest); // may wait for what comes next
      rest = receive(receiver, 50, oneWait());
    }
    BoundedCall<List<Delivery>> waiting =
        BoundedCall.start("receive", () -> receive(receiver, 1, patience().multipliedBy(2)));
    awaitBlocked(waiting);
    waiting.interrupt();
    if (!waiting.endsWithinAnother(hangBound())) {
      inconclusive("an interrupted receive goes on, which breaks ALO-13");
    }
    receive(receiver, 5, Duration.ZERO);
  }

  /** Calls that fail, and leave nothing behind either. */
  private static void callWithErrors(Mq mq) {
    List<Executable> calls =
        List.of(
            () -> mq.createQueue("a/b"),
            () -> mq.sender("no-such-queue").close(),
            () -> mq.receiver("no-such-queue").close());
    for (Executable call : calls) {
      try {
        call.execute();
      } catch (Throwable e) {
        // what it must throw, if anything, is for other tests
      }
    }
  }

  @Checks(AloRule.ALO_14)
  @ResourceLock(Checks.THREADS_AND_SOCKETS)
  @DisplayName("ALO-14 no thread and no connection is left by a connection that failed")
  void alo14_nothingIsLeftByAFailedConnection() throws Exception {
    endpoints(); // not a leftover
    Leftovers before = Leftovers.now();
    BoundedCall<Mq> connect = BoundedCall.start("connect to dead", this::connectToDead);
    if (!connect.endsWithin(traits().callBound().plus(slack()))) {
      inconclusive("connect hangs, which breaks ALO-18");
    }
    if (connect.failure() == null) {
      BoundedCall<@Nullable Void> close =
          BoundedCall.start(
              "close",
              () -> {
                connect.value().close();
                return null;
              });
      if (!close.endsWithin(traits().callBound().plus(slack()))) {
        inconclusive("close hangs, which breaks ALO-18");
      }
    }
    requireNothingLeft(before, "a connection to an endpoint that refuses it");
  }

  private void requireNothingLeft(Leftovers before, String by) {
    long start = System.nanoTime();
    Leftovers left = Leftovers.now().without(before);
    while (!left.isEmpty() && !hasPassed(patience(), start)) {
      LockSupport.parkNanos(POLL_INTERVAL_NANOS);
      left = left.thatAreIn(Leftovers.now()); // what others start meanwhile is theirs
    }
    if (!left.isEmpty()) {
      throw breach("%s left %s after %s", by, left, patience());
    }
  }

  /** Threads and sockets of this JVM. Immutable. */
  private record Leftovers(Set<Thread> threads, Set<String> sockets) {

    /** Shared by the whole JVM and never ended, whoever was the first to need them. */
    private static final Set<String> OF_THE_JVM =
        Set.of("CompletableFutureDelayScheduler", "process reaper", "Attach Listener");

    static Leftovers now() {
      Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
      threads.removeIf(
          thread ->
              OF_THE_JVM.contains(thread.getName())
                  || thread.getName().startsWith("ForkJoinPool.commonPool-worker-")
                  || thread.getName().startsWith("mq-conformance ")
                  || thread.getThreadGroup() == null
                  || thread.getThreadGroup().getName().equals("system"));
      return new Leftovers(threads, openSockets());
    }

    /** Open sockets by their inode; none where the operating system does not list them. */
    private static Set<String> openSockets() {
      Set<String> sockets = new HashSet<>();
      Path descriptors = Path.of("/proc/self/fd");
      if (Files.isDirectory(descriptors)) {
        try (Stream<Path> open = Files.list(descriptors)) {
          for (Path descriptor : open.toList()) {
            String target = targetOf(descriptor);
            if (target.startsWith("socket:")) {
              sockets.add(target);
            }
          }
        } catch (IOException e) {
          throw new IllegalStateException("cannot list this process's open files", e);
        }
      }
      return sockets;
    }

    private static String targetOf(Path descriptor) {
      try {
        return Files.readSymbolicLink(descriptor).toString();
      } catch (IOException e) {
        return ""; // closed since it was listed
      }
    }

    Leftovers without(Leftovers before) {
      Set<Thread> newThreads = new HashSet<>(threads);
      newThreads.removeAll(before.threads);
      Set<String> newSockets = new HashSet<>(sockets);
      newSockets.removeAll(before.sockets);
      return new Leftovers(newThreads, newSockets);
    }

    Leftovers thatAreIn(Leftovers later) {
      Set<Thread> sameThreads = new HashSet<>(threads);
      sameThreads.retainAll(later.threads);
      Set<String> sameSockets = new HashSet<>(sockets);
      sameSockets.retainAll(later.sockets);
      return new Leftovers(sameThreads, sameSockets);
    }

    boolean isEmpty() {
      return threads.isEmpty() && sockets.isEmpty();
    }

    @Override
    public String toString() {
      List<String> text = new ArrayList<>();
      threads.forEach(
          thread -> {
            StackTraceElement[] stack = thread.getStackTrace();
            text.add(
                "thread '%s'%s"
                    .formatted(thread.getName(), stack.length == 0 ? "" : " at " + stack[0]));
          });
      sockets.forEach(socket -> text.add("connection " + socket));
      return text.toString();
    }
  }
}
