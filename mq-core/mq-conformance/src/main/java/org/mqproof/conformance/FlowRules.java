package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.Sender;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Judgement;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;

/** Clients come, go and compete: ALO-15, ALO-17, ALO-23, ALO-24. One thread at a time. */
abstract class FlowRules extends CallRules {

  private static final int COMPETITORS = 4;

  /** Each sender stops at the first of these; then all have overlapped for a while. */
  private static final int MOST_BATCHES_PER_SENDER = 1_500;

  /** Beyond what a client fetches ahead, and what a broker sorts in one look; less if slow. */
  private static final int MOST_BACKLOG = 10_000;

  /** Less than one batch of those that make the backlog. */
  private static final int MOST_OWED = 500;

  // --- ALO-15 ---

  @Checks(AloRule.ALO_15)
  @DisplayName("ALO-15 messages are there after every client has closed")
  void alo15_messagesOutliveEveryClient() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", few(20));
    mq.sender(queue).send(sent);
    close(mq);
    requireThere(idsOf(sent), open().receiver(queue));
  }

  @Checks(AloRule.ALO_15)
  @DisplayName(
      "ALO-15 messages sent while there was no receiver, and after one had closed, are kept")
  void alo15_messagesOutliveTheLastReceiver() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver first = mq.receiver(queue);
    warmUp(first);
    first.close();
    List<Message> sent = messages("m", few(20));
    mq.sender(queue).send(sent);
    close(mq);
    requireThere(idsOf(sent), open().receiver(queue));
  }

  private void requireThere(List<String> sent, Receiver receiver) throws InterruptedException {
    Set<String> missing = missingFrom(receiver, sent);
    if (!missing.isEmpty()) {
      throw breach("every client closed, and a new one did not get %s", some(missing));
    }
  }

  // --- ALO-17 ---

  @Checks(AloRule.ALO_17)
  @Order(Checks.LONG)
  @DisplayName("ALO-17 competing senders and receivers lose, invent and duplicate nothing")
  void alo17_competitorsLoseInventAndDuplicateNothing() throws Exception {
    if (traits().largestBodyBytes() < Ledger.STAMP_BYTES) {
      inconclusive("a stamp has %d bytes, more than the largest body", Ledger.STAMP_BYTES);
    }
    Mq shared = open();
    String queue = newQueue(shared);
    Ledger ledger = new Ledger();
    List<ReceiverLog> logs =
        IntStream.range(0, COMPETITORS).mapToObj(i -> ledger.newReceiver()).toList();
    List<Receiver> receivers = new ArrayList<>();
    List<Sender> senders = new ArrayList<>();
    for (int i = 0; i < COMPETITORS; i++) {
      // The last of each has a connection of its own, the others share one and its client.
      Mq mq = i == COMPETITORS - 1 ? open() : shared;
      receivers.add(mq.receiver(queue));
      senders.add(mq.sender(queue));
    }
    warmUp(receivers.toArray(Receiver[]::new));
    AtomicLong delivered = new AtomicLong();
    AtomicLong confirmed = new AtomicLong();
    AtomicBoolean late = new AtomicBoolean();
    List<BoundedCall<@Nullable Void>> sending = new ArrayList<>();
    List<BoundedCall<@Nullable Void>> receiving = new ArrayList<>();
    CountDownLatch ready = new CountDownLatch(COMPETITORS);
    for (int i = 0; i < COMPETITORS; i++) {
      SenderLog log = ledger.sender(i);
      Sender sender = senders.get(i);
      sending.add(
          BoundedCall.start("sender " + i, () -> sendBatches(sender, log, confirmed, ready)));
    }
    for (int i = 0; i < COMPETITORS; i++) {
      Receiver receiver = receivers.get(i);
      ReceiverLog log = logs.get(i);
      receiving.add(
          BoundedCall.start(
              "receiver",
              () -> receiveUntilQuiet(receiver, log, delivered, confirmed, sending, late)));
    }
    for (BoundedCall<@Nullable Void> call : receiving) {
      if (!call.endsWithin(testLimit())) {
        throw breach("a receiver still waits%s", call.stack());
      }
      if (call.failure() != null) {
        throw breach(call.failure(), "a receiver failed: %s", call.failure());
      }
    }
    for (BoundedCall<@Nullable Void> call : sending) {
      if (call.failure() != null) {
        throw breach(call.failure(), "a sender failed: %s", call.failure());
      }
    }
    Verdict verdict = ledger.verdict(true);
    // Where claims may have ended before their acks, messages had to come again.
    Expectations expected = Expectations.of(shared.traits());
    Judgement judgement =
        (late.get() ? expected.withFaults() : expected.withoutRedelivery()).judge(verdict);
    if (!judgement.holds()) {
      throw breach("%s; %s", judgement.words(), some(verdict.examples()));
    }
    if (verdict.duplicated() > 0) {
      inconclusive("claims ended before their acks, so that messages had to come again");
    }
  }

  private @Nullable Void sendBatches(
      Sender sender, SenderLog log, AtomicLong confirmed, CountDownLatch ready) throws Exception {
    int bodyBytes = Math.min(100, traits().largestBodyBytes());
    Duration longest = enough().plus(oneWait());
    ready.countDown();
    requireInTime(ready); // they start together
    long start = System.nanoTime();
    for (int i = 0; i < MOST_BATCHES_PER_SENDER && (i < 10 || !hasPassed(longest, start)); i++) {
      int size = 1 + i % 9;
      List<Message> batch =
          IntStream.range(0, size).mapToObj(j -> new Message(new byte[bodyBytes])).toList();
      long first = log.stamp(batch, System.nanoTime());
      sender.send(batch);
      log.confirmed(first, size);
      confirmed.addAndGet(size);
    }
    return null;
  }

  /** Receives and acks until every sender has ended and nothing has come for a while. */
  private @Nullable Void receiveUntilQuiet(
      Receiver receiver,
      ReceiverLog log,
      AtomicLong delivered,
      AtomicLong confirmed,
      List<BoundedCall<@Nullable Void>> sending,
      AtomicBoolean late)
      throws Exception {
    Waiting forMore = new Waiting(window());
    Waiting forMissing = new Waiting(patience());
    while (true) {
      long start = now();
      List<Delivery> batch = receive(receiver, 50, oneWait());
      forMore.progress(!batch.isEmpty());
      forMissing.progress(!batch.isEmpty());
      if (batch.isEmpty()) {
        boolean sent = sending.stream().allMatch(BoundedCall::hasEnded);
        boolean complete = sent && delivered.get() >= confirmed.get();
        if (sent && (complete ? forMore : forMissing).isOver()) {
          return null;
        }
        continue;
      }
      log.delivered(batch, sentAtNanos -> {});
      delivered.addAndGet(batch.size());
      settles(log.ack(receiver, batch));
      if (claimsMayHaveEnded(start)) {
        late.set(true);
      }
    }
  }

  @Checks(AloRule.ALO_17)
  @DisplayName("ALO-17 senders and receivers opened at the same time lose nothing")
  void alo17_clientsOpenedAtTheSameTimeLoseNothing() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Collection<String> sent = new ConcurrentLinkedQueue<>();
    Collection<String> seen = new ConcurrentLinkedQueue<>();
    long start = System.nanoTime();
    for (int round = 0; round < 5 && (round == 0 || !hasPassed(enough(), start)); round++) {
      String prefix = "round" + round + "-";
      CyclicBarrier together = new CyclicBarrier(6);
      List<BoundedCall<@Nullable Void>> calls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String name = prefix + "sender" + i + "-";
        calls.add(BoundedCall.start("sender", () -> openAndSend(mq, queue, name, together, sent)));
        calls.add(BoundedCall.start("receiver", () -> openAndReceive(mq, queue, together, seen)));
      }
      for (BoundedCall<@Nullable Void> call : calls) {
        if (!call.endsWithin(testLimit())) {
          throw breach("opened at the same time as others, a client still waits%s", call.stack());
        }
        if (call.failure() != null) {
          throw breach(
              call.failure(), "opened at the same time as others, a client: %s", call.failure());
        }
      }
    }
    Set<String> missing = new LinkedHashSet<>(sent);
    missing.removeAll(Set.copyOf(seen));
    missing.removeAll(Set.copyOf(drain(mq.receiver(queue), missing)));
    if (!missing.isEmpty()) {
      throw breach("%s were lost by senders and receivers opened at the same time", some(missing));
    }
  }

  private @Nullable Void openAndSend(
      Mq mq, String queue, String name, CyclicBarrier together, Collection<String> sent)
      throws Exception {
    together.await(testLimit().toNanos(), TimeUnit.NANOSECONDS);
    try (Sender sender = mq.sender(queue)) {
      for (int i = 0; i < 3; i++) {
        List<Message> batch = messages(name + i + "-", 2);
        sender.send(batch);
        sent.addAll(idsOf(batch));
      }
    }
    return null;
  }

  private @Nullable Void openAndReceive(
      Mq mq, String queue, CyclicBarrier together, Collection<String> seen) throws Exception {
    together.await(testLimit().toNanos(), TimeUnit.NANOSECONDS);
    try (Receiver receiver = mq.receiver(queue)) {
      List<Delivery> got = receive(receiver, 10, oneWait());
      if (ackIfPossible(receiver, got)) {
        seen.addAll(ids(got));
      }
    }
    return null;
  }

  @Checks(AloRule.ALO_17)
  @DisplayName("ALO-17 of many senders and receivers that one connection has open each works")
  void alo17_manyClientsOfOneConnectionWork() throws Exception {
    Mq mq = open();
    List<Receiver> receivers = new ArrayList<>();
    List<Sender> senders = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < 40 && (i < 2 || !hasPassed(enough(), start)); i++) {
      String queue = newQueue(mq);
      receivers.add(mq.receiver(queue));
      senders.add(mq.sender(queue));
      senders.get(i).send(messages("client" + i + "-", 2));
    }
    for (int i = 0; i < receivers.size(); i++) {
      List<String> expected = idsOf(messages("client" + i + "-", 2));
      Set<String> missing = new LinkedHashSet<>(expected);
      missing.removeAll(Set.copyOf(drain(receivers.get(i), expected)));
      if (!missing.isEmpty()) {
        throw breach(
            "%s were not delivered to receiver %d of %d that are open, each on a queue of its own",
            missing, i + 1, receivers.size());
      }
    }
    requireThatAllCanWait(receivers, senders);
  }

  /** All wait at the same time; the one that was the last to wait gets a message first. */
  private void requireThatAllCanWait(List<Receiver> receivers, List<Sender> senders)
      throws Exception {
    List<BoundedCall<List<Delivery>>> waiting = new ArrayList<>();
    CountDownLatch called = new CountDownLatch(receivers.size());
    Duration timeout = hangBound().multipliedBy(3);
    for (Receiver receiver : receivers) {
      waiting.add(
          BoundedCall.start(
              "receive",
              () -> {
                called.countDown();
                return receive(receiver, 1, timeout);
              }));
    }
    requireInTime(called);
    awaitBlocked(waiting.get(waiting.size() - 1));
    for (int i = waiting.size() - 1; i >= 0; i--) {
      senders.get(i).send(messages("waiting" + i + "-", 1));
      if (!waiting.get(i).endsWithinAnother(hangBound()) || waiting.get(i).value().isEmpty()) {
        waiting.forEach(BoundedCall::interrupt);
        throw breach(
            "%d receivers of a connection wait, each on a queue of its own, and receiver %d did not"
                + " get a message that was sent to it within %s",
            waiting.size(), i + 1, hangBound());
      }
    }
  }

  // --- ALO-23 ---

  @Checks(AloRule.ALO_23)
  @Order(Checks.LONG)
  @DisplayName("ALO-23 what a close gives back is delivered while the queue never runs empty")
  void alo23_givenBackMessagesDoNotStarve() throws Exception {
    requireThatCloseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    Abandoned abandoned = abandon(mq, queue, (receiver, held, since) -> receiver.close());
    requireNoStarvation(mq, queue, abandoned, "closed");
  }

  @Checks(AloRule.ALO_23)
  @Order(Checks.LONG)
  @DisplayName("ALO-23 what an expiry gives back is delivered while the queue never runs empty")
  void alo23_expiredMessagesDoNotStarve() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    Abandoned abandoned = abandon(mq, queue, (receiver, held, since) -> {});
    pass(period.plusMillis(1));
    requireNoStarvation(mq, queue, abandoned, "let its claims end");
  }

  @Checks(AloRule.ALO_23)
  @Order(Checks.LONG)
  @DisplayName("ALO-23 what was released is delivered while the queue never runs empty")
  void alo23_releasedMessagesDoNotStarve() throws Exception {
    if (traits().release() != Release.ANY_RECEIVER) {
      inconclusive("no release to other receivers is declared");
    }
    requireThatReleaseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    Abandoned abandoned =
        abandon(
            mq,
            queue,
            (receiver, held, since) -> {
              requireRelease(receiver);
              requireReleased(receiver, held, since);
              receiver.close(); // some systems hand to it ahead of its calls
            });
    requireNoStarvation(mq, queue, abandoned, "released them");
  }

  private interface GivingBack {
    void by(Receiver receiver, Collection<Delivery> held, long since) throws Exception;
  }

  /** Messages that a receiver took and did not ack, and how many others are behind them. */
  private record Abandoned(Set<String> ids, int backlog) {}

  private Abandoned abandon(Mq mq, String queue, GivingBack end) throws Exception {
    List<Message> sent = messages("abandoned", few(10));
    Sender sender = mq.sender(queue);
    sender.send(sent);
    Receiver first = mq.receiver(queue);
    long claimed = now();
    Map<String, Delivery> held = collect(first, sent.size());
    long start = System.nanoTime();
    int backlog = 0;
    while (backlog < MOST_BACKLOG && (backlog == 0 || !hasPassed(enough(), start))) {
      sender.send(messages("backlog" + backlog + "-", 1_000));
      backlog += 1_000;
    }
    end.by(first, held.values(), claimed);
    return new Abandoned(held.keySet(), backlog);
  }

  /**
   * Receives while a sender keeps the backlog as it is. Who takes turns hands out what became free
   * before twice the backlog has passed; who prefers new messages never does.
   */
  private void requireNoStarvation(Mq mq, String queue, Abandoned abandoned, String what)
      throws Exception {
    Set<String> missing = new LinkedHashSet<>(abandoned.ids());
    AtomicLong owed = new AtomicLong();
    AtomicBoolean ended = new AtomicBoolean();
    Sender sender = mq.sender(queue);
    BoundedCall<@Nullable Void> sending =
        BoundedCall.start("keep the backlog", () -> sendWhatIsOwed(sender, owed, ended));
    Receiver second = mq.receiver(queue);
    long received = 0;
    boolean late = false;
    long start = System.nanoTime();
    while (!missing.isEmpty() && !late && !sending.hasEnded()) {
      List<Delivery> got = receive(second, 200, oneWait());
      received += got.size();
      missing.removeAll(Set.copyOf(ids(got)));
      owed.addAndGet(got.size());
      ackIfPossible(second, got);
      // A backlog that is there at every moment: what is received is replaced before more is.
      long waiting = System.nanoTime();
      while (owed.get() > MOST_OWED && !sending.hasEnded() && !hasPassed(patience(), waiting)) {
        LockSupport.parkNanos(100_000);
      }
      late =
          (hasPassed(patience(), start) && received > 3L * abandoned.backlog())
              || hasPassed(patience().multipliedBy(3), start);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    ended.set(true);
    if (!sending.endsWithinAnother(testLimit())) {
      throw breach("a sender still waits%s", sending.stack());
    }
    if (sending.failure() != null) {
      throw breach(sending.failure(), "a sender failed: %s", sending.failure());
    }
    if (missing.isEmpty()) {
      return;
    }
    Set<String> never = new LinkedHashSet<>(missing);
    never.removeAll(Set.copyOf(drain(second, missing)));
    if (!never.isEmpty()) {
      inconclusive("%s never came again, which breaks ALO-06 or ALO-08", some(never));
    }
    if (received < 2L * abandoned.backlog()) {
      inconclusive("so slow that %d messages came within %s", received, took);
    }
    throw breach(
        "a receiver %s; %s did not come again within %s, while %d others did, and came when"
            + " nothing new was sent any more",
        what, some(missing), took, received);
  }

  private @Nullable Void sendWhatIsOwed(Sender sender, AtomicLong owed, AtomicBoolean ended)
      throws InterruptedException {
    for (int i = 0; !ended.get(); i++) {
      long count = Math.min(1_000, owed.get());
      if (count == 0) {
        LockSupport.parkNanos(100_000);
        continue;
      }
      sender.send(messages("more" + i + "-", (int) count));
      owed.addAndGet(-count);
    }
    return null;
  }

  // --- ALO-24 ---

  @Checks(AloRule.ALO_24)
  @Order(Checks.LONG)
  @DisplayName(
      "ALO-24 queues whose names differ by case, by one character or far behind do not share")
  void alo24_queuesOfSimilarNamesDoNotShare() throws Exception {
    Mq mq = open();
    Mq another = open();
    String base = "alo-24-" + UUID.randomUUID().toString().substring(0, 8);
    String far = base + "-" + "x".repeat(130);
    List<String> wanted =
        List.of(
            base + "-a",
            base + "-a.b",
            base + "-A.b",
            base + "-a_b",
            base + "-a-b",
            base + "-ab",
            base + "-a.b.",
            base + "-a.b.c",
            far,
            far + "y",
            far.substring(0, far.length() - 1) + "X");
    List<String> names = new ArrayList<>();
    for (String name : wanted) {
      try {
        newQueue(mq, name);
        names.add(name);
      } catch (MqException e) {
        // Kafka refuses a topic that differs from another by dots and underscores alone: it is told
        String folded = name.replace('.', '_');
        if (names.stream().noneMatch(other -> other.replace('.', '_').equals(folded))) {
          throw breach(e, "queue %s could not be created beside %s", name, names);
        }
      }
    }
    List<Sender> senders = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      senders.add((i % 2 == 0 ? mq : another).sender(names.get(i)));
      senders.get(i).send(messages("of" + i + "-", 3));
    }
    for (int i = 0; i < names.size(); i++) {
      requireOwnOnly(mq, senders.get(i), names, i, idsOf(messages("of" + i + "-", 3)));
    }
    for (int i = 0; i < names.size(); i++) {
      senders.get(i).send(messages("later" + i + "-", 2));
    }
    // One that others begin with, one that is like others as a pattern, and one behind another.
    Set<String> deleted = Set.of(base + "-a", base + "-a.b", far + "y");
    deleted.forEach(mq::deleteQueue);
    for (int i = 0; i < names.size(); i++) {
      if (!deleted.contains(names.get(i))) {
        try {
          requireOwnOnly(another, senders.get(i), names, i, idsOf(messages("later" + i + "-", 2)));
        } catch (MqException e) {
          throw breach(e, "%s were deleted, and %s fails now: %s", deleted, names.get(i), e);
        }
      }
    }
  }

  private void requireOwnOnly(Mq mq, Sender sender, List<String> names, int i, List<String> own)
      throws Exception {
    try (Receiver receiver = mq.receiver(names.get(i))) {
      String marker = "marker" + i + "-" + own.size();
      sender.send(List.of(message(marker)));
      List<String> expected = new ArrayList<>(own);
      expected.add(marker);
      Set<String> seen = new LinkedHashSet<>(drain(receiver, expected));
      List<String> missing = new ArrayList<>(expected);
      missing.removeAll(seen);
      if (!missing.isEmpty()) {
        throw breach("queue %s lost %s; others are %s", names.get(i), missing, names);
      }
      seen.removeAll(expected);
      seen.removeIf(id -> id.startsWith("marker" + i + "-") || id.startsWith("of" + i + "-"));
      if (!seen.isEmpty()) {
        throw breach("queue %s delivered %s of others; they are %s", names.get(i), seen, names);
      }
    }
  }

  @Checks(AloRule.ALO_24)
  @DisplayName("ALO-24 a queue that was deleted and made again is empty, and works")
  void alo24_aQueueMadeAgainIsEmpty() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    try (Sender sender = mq.sender(queue);
        Receiver receiver = mq.receiver(queue)) {
      sender.send(messages("acked", few(7)));
      ackIfPossible(receiver, collect(receiver, few(7)).values());
      sender.send(messages("deleted", few(5)));
      collect(receiver, few(2));
    }
    mq.deleteQueue(queue);
    mq.deleteQueue(queue);
    mq.createQueue(queue);
    Receiver receiver = mq.receiver(queue);
    Sender sender = open().sender(queue);
    sender.send(messages("again", 3));
    Set<String> missing = new LinkedHashSet<>(idsOf(messages("again", 3)));
    List<String> seen = drain(receiver, missing);
    missing.removeAll(seen);
    if (!missing.isEmpty()) {
      throw breach("the queue was made again and did not deliver %s", missing);
    }
    seen.addAll(besidesMarker(receiver, sender, "marker"));
    seen.removeIf(id -> id.startsWith("again"));
    if (!seen.isEmpty()) {
      throw breach("%s outlived their queue, which was deleted and made again", some(seen));
    }
  }

  @Checks(AloRule.ALO_24)
  @DisplayName("ALO-24 what a sender of a deleted queue confirms is in the queue made again")
  void alo24_aSenderOfADeletedQueueFeedsNoOther() throws Exception {
    for (boolean async : new boolean[] {false, true}) {
      Mq mq = open();
      String queue = newQueue(mq);
      Sender sender = mq.sender(queue);
      sender.send(messages("before", 1));
      mq.deleteQueue(queue);
      mq.createQueue(queue);
      Set<String> astray = confirmedAstray(sender, mq.receiver(queue), async);
      if (astray.isEmpty()) {
        continue;
      }
      mq.deleteQueue(queue);
      if (!failsInTheEnd(sender, async)) {
        inconclusive("a deleted queue confirms for ever, which breaks ALO-03");
      }
      throw breach(
          "a sender of a queue that was deleted and made again had %s confirmed, and a receiver of"
              + " the queue got none of them",
          some(astray));
    }
  }

  private boolean failsInTheEnd(Sender sender, boolean async) throws Exception {
    long start = System.nanoTime();
    while (!hasPassed(shorter(patience(), Duration.ofSeconds(5)), start)) {
      if (!isConfirmed(sender, messages("gone", 1), async)) {
        return true;
      }
    }
    return false;
  }

  private boolean isConfirmed(Sender sender, List<Message> batch, boolean async) throws Exception {
    try {
      if (async) {
        sender.sendAsync(batch).get(patience().toMillis(), TimeUnit.MILLISECONDS);
      } else {
        sender.send(batch);
      }
      return true;
    } catch (MqException | ExecutionException | IllegalStateException e) {
      return false; // it says so
    }
  }

  /**
   * What was confirmed and went nowhere; none if a send fails or a message comes. Either may take a
   * moment, so only a sender that goes on for ever is blamed.
   */
  private Set<String> confirmedAstray(Sender sender, Receiver receiver, boolean async)
      throws Exception {
    Set<String> confirmed = new LinkedHashSet<>();
    Waiting waiting = new Waiting(patience());
    while (!waiting.isOver()) {
      List<Message> batch = messages("after" + confirmed.size() + "-", 1);
      if (!isConfirmed(sender, batch, async)) {
        return Set.of();
      }
      confirmed.addAll(idsOf(batch));
      for (String id : ids(receive(receiver, 100, oneWait()))) {
        if (confirmed.contains(id)) {
          return Set.of();
        }
      }
      waiting.progress(false);
    }
    return confirmed;
  }

  @Checks(AloRule.ALO_24)
  @DisplayName("ALO-24 a receiver of a deleted queue fails or belongs to the one made again")
  void alo24_aReceiverOfADeletedQueueHarmsNoOther() throws Exception {
    requireThatCloseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("deleted", few(6)));
    Receiver old = mq.receiver(queue);
    List<Delivery> held = hold(old, few(4));
    mq.deleteQueue(queue);
    mq.createQueue(queue);
    Sender sender = open().sender(queue);
    List<String> sent = idsOf(messages("again", 8));
    sender.send(messages("again", 8));
    Receiver owner = open().receiver(queue);
    hold(owner, few(4)); // at the places of what the old receiver holds
    int half = held.size() / 2;
    giveIfPossible(() -> old.ack(held.subList(0, half)));
    if (canRelease(old)) {
      giveIfPossible(() -> old.release(held.subList(half, held.size())));
    }
    owner.close();
    List<String> seen = seenByOld(old, sent);
    try {
      old.close(); // and gives nothing back: what it held is gone
    } catch (RuntimeException e) {
      // it says so
    }
    Set<String> missing = new LinkedHashSet<>(sent);
    missing.removeAll(Set.copyOf(seen));
    Receiver next = mq.receiver(queue);
    seen.addAll(drain(next, missing));
    missing.removeAll(Set.copyOf(seen));
    if (!missing.isEmpty()) {
      throw breach(
          "a receiver from before the queue was deleted acked and released what it held then, and"
              + " %s of the queue made again are lost",
          missing);
    }
    seen.addAll(besidesMarker(next, sender, "marker"));
    seen.removeAll(sent);
    if (!seen.isEmpty()) {
      throw breach(
          "%s were held as their queue was deleted, and are in the one made again", some(seen));
    }
  }

  private interface Giving {
    CompletableFuture<Void> call();
  }

  /** An ack or a release that may fail, as long as it harms nothing. */
  private void giveIfPossible(Giving giving) throws InterruptedException {
    try {
      boolean unused = settles(giving.call());
    } catch (MqException | IllegalStateException e) {
      // it says so
    }
  }

  /**
   * Which of these it got by the time it got any, or failed: either must be, and may take a moment,
   * in which it hands out what it had fetched.
   */
  private List<String> seenByOld(Receiver old, List<String> sent) throws InterruptedException {
    List<String> seen = new ArrayList<>();
    Waiting waiting = new Waiting(patience());
    while (!waiting.isOver()) {
      try {
        List<Delivery> got = receive(old, 3, oneWait());
        boolean acked = ackIfPossible(old, got);
        List<String> ofNew = new ArrayList<>(ids(got));
        ofNew.retainAll(sent);
        if (acked) {
          seen.addAll(ofNew);
        }
        if (!ofNew.isEmpty()) {
          return seen;
        }
        waiting.progress(false);
      } catch (RuntimeException e) {
        return seen; // it says so
      }
    }
    throw breach(
        "a receiver of a queue that was deleted and made again neither failed within %s nor got"
            + " any of %s",
        patience(), sent);
  }

  @Checks(AloRule.ALO_24)
  @DisplayName("ALO-24 a queue that another connection deleted can be made again, and works")
  void alo24_aQueueThatAnotherDeletedIsMadeAgain() throws Exception {
    Mq mq = open();
    Mq another = open();
    String queue = newQueue(mq);
    another.sender(queue).send(messages("deleted", 3));
    another.deleteQueue(queue);
    mq.createQueue(queue);
    List<String> expected = idsOf(messages("again", 3));
    List<String> seen;
    try {
      mq.sender(queue).send(messages("again", 3));
      seen = drain(another.receiver(queue), expected);
    } catch (MqException e) {
      throw breach(e, "createQueue returned, and the queue cannot be used: %s", e);
    }
    if (!seen.containsAll(expected)) {
      throw breach("the queue was made again and delivered %s of %s", some(seen), expected);
    }
  }
}
