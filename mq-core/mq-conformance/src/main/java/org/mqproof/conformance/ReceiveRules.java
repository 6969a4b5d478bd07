package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/** Claims, and how receive behaves: ALO-05, ALO-06, ALO-08, ALO-12. One thread at a time. */
abstract class ReceiveRules extends HeaderRules {

  /** Messages whose median says how late a receive returns. */
  private static final int ROUNDS = 5;

  /** Later than its timeout, in the best of several tries: a round trip takes less everywhere. */
  private static final Duration MUCH_LATER = Duration.ofSeconds(2);

  /** Later than this, beside a control, is polling: a receiver that looks each second is seen. */
  private static final Duration SOON = Duration.ofMillis(300);

  /** Later than this each time, as no busy machine is: not a look at what is there. */
  private static final Duration AT_ONCE = Duration.ofMillis(100);

  private static final int MOST_LOOKS = 9;

  /** So many find nothing where nothing comes: a single one may take long on a busy machine. */
  private static final int LEAST_LOOKS = 4;

  /** Longer than a sender that sends without a pause is held up on a busy machine. */
  private static final Duration WHILE_BUSY = Duration.ofMillis(750);

  /** The part of a claim period in which thousands are taken. */
  static final double THOUSANDS_WITHIN = 0.3;

  // --- ALO-05 ---

  @Checks(AloRule.ALO_05)
  @Order(Checks.LONG)
  @DisplayName("ALO-05 receivers of one and of several connections never hold the same message")
  void alo05_aClaimedMessageIsHiddenFromOtherReceivers() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver first = mq.receiver(queue);
    Receiver second = mq.receiver(queue);
    Receiver third = open().receiver(queue);
    warmUp(first, second, third);
    List<Message> sent = messages("m", few(draw(200, 900)));
    long start = now();
    try (Sender sender = mq.sender(queue)) {
      sendAll(sender, sent);
    }
    holdAll(new HashMap<>(), start, sent.size(), first, second, third);
  }

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 a receiver that joins over another connection gets nothing that is claimed")
  void alo05_aReceiverThatJoinsGetsNothingClaimed() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", few(20));
    long start = now();
    mq.sender(queue).send(sent);
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> held = collect(first, (sent.size() + 1) / 2);
    Receiver joining = open().receiver(queue);
    Map<String, List<Integer>> hands = new HashMap<>();
    held.keySet().forEach(id -> hands.computeIfAbsent(id, i -> new ArrayList<>()).add(0));
    holdAll(hands, start, sent.size(), first, joining);
  }

  @Checks(AloRule.ALO_05)
  @Order(Checks.LONG)
  @DisplayName(
      "ALO-05 a claim does not end before its period: seen from two thirds of it to its end")
  void alo05_aClaimLastsItsPeriod() throws Exception {
    Duration period = traits().claimPeriod().orElse(window());
    Mq mq = open();
    Mq another = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq); // what came again in the try before is in another one
      List<Message> sent = messages("m" + i + "-", few(draw(12, 30)));
      mq.sender(queue).send(sent);
      try (Receiver before = mq.receiver(queue)) {
        hold(before, sent.size() / 3); // these are claimed a second time then
      }
      long start = now();
      try (Receiver first = mq.receiver(queue);
          Receiver second = mq.receiver(queue);
          Receiver third = another.receiver(queue)) {
        List<Delivery> held = hold(first, sent.size());
        if (held.isEmpty()) {
          inconclusive("%s were not delivered, which breaks ALO-01", some(idsOf(sent)));
        }
        List<String> ids = ids(held);
        passUntil(start, period.multipliedBy(2).dividedBy(3));
        boolean inTime = nothingTwice(start, period, ids, first, second, third);
        passUntil(start, period.multipliedBy(82).dividedBy(100));
        boolean laterToo = nothingTwice(start, period, ids, first, second, third);
        for (int percent : new int[] {89, 95}) { // may be too late, and then says nothing
          passUntil(start, period.multipliedBy(percent).dividedBy(100));
          var unused = nothingTwice(start, period, ids, first, second, third);
        }
        ackIfPossible(first, held);
        if (inTime && (laterToo || period.compareTo(window()) < 0)) {
          return;
        }
      }
    }
    inconclusive("a claim period of %s was over each time before another receiver looked", period);
  }

  /** Whether all looked before the claims that began at the start could have ended. */
  private boolean nothingTwice(
      long start, Duration period, List<String> held, Receiver... receivers)
      throws InterruptedException {
    for (Receiver receiver : receivers) {
      List<Delivery> got = receive(receiver, 50, shorter(oneWait(), period.dividedBy(50)));
      Duration age = Duration.ofNanos(now() - start);
      if (claimsHaveNearlyEnded(start)) {
        return false;
      }
      List<String> again = new ArrayList<>(ids(got));
      again.retainAll(held);
      if (!again.isEmpty()) {
        throw breach(
            "%s were claimed %s ago at most, and not acked, and were delivered again: the claim"
                + " period is %s",
            some(again), age, period);
      }
    }
    return true;
  }

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 closing one receiver leaves hidden what another of its connection holds")
  void alo05_closingOneLeavesHiddenWhatAnotherHolds() throws Exception {
    Mq mq = open();
    requireHiddenAfterClose(mq, mq);
  }

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 closing one connection leaves hidden what a receiver of another holds")
  void alo05_closingAConnectionLeavesHiddenWhatAnotherHolds() throws Exception {
    requireHiddenAfterClose(open(), open());
  }

  @Checks(AloRule.ALO_05)
  @Order(Checks.LONG)
  @DisplayName("ALO-05 what a receiver hands out late is claimed from then on, not from its fetch")
  void alo05_whatIsHandedOutLateIsHidden() throws Exception {
    Duration period = claimPeriod();
    if (traits().mostInFlight() < 2) {
      inconclusive("a receiver holds one message at a time, and fetches none ahead");
    }
    Mq mq = open();
    Mq another = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq);
      mq.sender(queue).send(messages("m", 10));
      try (Receiver first = mq.receiver(queue);
          Receiver second = another.receiver(queue)) {
        long fetched = now();
        int early = hold(first, 1).size();
        passUntil(fetched, period.multipliedBy(4).dividedBy(5));
        long start = now();
        List<Delivery> late = hold(first, 1);
        if (early == 0 || late.isEmpty()) {
          inconclusive("two messages were not delivered one after the other");
        }
        if (staysHidden(id(late.get(0)), start, second)) {
          return;
        }
      }
    }
    inconclusive("a claim period of %s was over each time before another receiver looked", period);
  }

  @Checks(AloRule.ALO_05)
  @Order(Checks.LONG)
  @DisplayName("ALO-05 what a receiver waited for is claimed from its arrival on")
  void alo05_whatWasWaitedForIsHidden() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    Mq another = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq);
      try (Receiver first = mq.receiver(queue);
          Receiver second = another.receiver(queue)) {
        long called = now();
        BoundedCall<List<Delivery>> call =
            BoundedCall.start("receive", () -> receive(first, 1, period.plus(patience())));
        awaitBlocked(call);
        passUntil(called, period.multipliedBy(3).dividedBy(5));
        long start = now();
        mq.sender(queue).send(messages("m", 1));
        if (!call.endsWithinAnother(patience()) || call.value().isEmpty()) {
          call.interrupt();
          inconclusive("m0 was not delivered, which breaks ALO-01");
        }
        if (staysHidden("m0", start, second)) {
          return;
        }
      }
    }
    inconclusive("a claim period of %s was over each time before another receiver looked", period);
  }

  /**
   * Another receiver looks in the middle of a claim.
   *
   * @param start the claim cannot have begun before
   * @return whether it looked in time
   */
  private boolean staysHidden(String id, long start, Receiver other) throws InterruptedException {
    passUntil(start, claimPeriod().dividedBy(2));
    List<String> others = ids(receive(other, 20, oneWait()));
    if (claimsMayHaveEnded(start)) {
      return false;
    }
    if (others.contains(id)) {
      throw breach(
          "%s was handed out %s ago, and to another receiver now: the claim period is %s",
          id, Duration.ofNanos(now() - start), claimPeriod());
    }
    return true;
  }

  /** Two hold; one closes. What the other holds stays hidden, and can be acked. */
  private void requireHiddenAfterClose(Mq mq, Mq closing) throws Exception {
    String queue = newQueue(mq);
    int total = few(30);
    for (int i = 0; i < TRIES; i++) {
      Receiver staying = mq.receiver(queue);
      Receiver leaving = closing.receiver(queue);
      warmUp(staying, leaving);
      List<Message> sent = messages("try" + i + "-", total);
      long start = now();
      mq.sender(queue).send(sent);
      Map<String, Delivery> held = new LinkedHashMap<>();
      Set<String> left = new LinkedHashSet<>();
      Waiting waiting = new Waiting(patience());
      while (held.size() + left.size() < total && !waiting.isOver()) {
        int before = held.size() + left.size();
        for (Delivery delivery : receive(staying, 1 + total / 6, oneWait().dividedBy(4))) {
          held.put(id(delivery), delivery);
        }
        left.addAll(ids(receive(leaving, 1 + total / 6, oneWait().dividedBy(4))));
        waiting.progress(held.size() + left.size() > before);
      }
      if (held.isEmpty() || left.isEmpty()) {
        inconclusive("one of two receivers got all of %d messages", total);
      }
      if (closing == mq) {
        leaving.close();
      } else {
        close(closing);
      }
      Receiver joining = open().receiver(queue);
      List<String> again = new ArrayList<>();
      long closed = System.nanoTime();
      while (!hasPassed(window(), closed) && !claimsMayHaveEnded(start)) {
        for (Receiver receiver : List.of(staying, joining)) {
          List<Delivery> more = receive(receiver, total, oneWait().dividedBy(4));
          if (!claimsMayHaveEnded(start)) {
            again.addAll(ids(more));
          }
        }
      }
      again.retainAll(held.keySet());
      if (!again.isEmpty()) {
        throw breach(
            "%s were held by one receiver when another closed, and came again", some(again));
      }
      if (hasPassed(window(), closed) && !claimsMayHaveEnded(start)) {
        return;
      }
      staying.close();
      joining.close();
      drain(mq.receiver(queue), idsOf(sent));
      if (closing != mq) {
        closing = open();
      }
    }
    inconclusive("the claim period was over each time before the receivers had looked");
  }

  /** Receives all there is without an ack: no message may come twice while its claim lasts. */
  private void holdAll(
      Map<String, List<Integer>> hands, long start, int count, Receiver... receivers)
      throws InterruptedException {
    Waiting forAll = new Waiting(patience());
    Waiting forMore = new Waiting(window());
    while (hands.size() < count ? !forAll.isOver() : !forMore.isOver()) {
      int before = hands.size();
      for (int i = 0; i < receivers.length; i++) {
        List<Delivery> got = receive(receivers[i], 50, oneWait().dividedBy(2));
        if (claimsMayHaveEnded(start)) {
          if (hands.size() < count) {
            inconclusive("claims may have ended before all of %d messages were held", count);
          }
          return;
        }
        for (Delivery delivery : got) {
          hands.computeIfAbsent(id(delivery), id -> new ArrayList<>()).add(i);
        }
      }
      forAll.progress(hands.size() > before);
      forMore.progress(hands.size() > before);
      Map<String, List<Integer>> twice = new HashMap<>(hands);
      twice.values().removeIf(receiversOfOne -> receiversOfOne.size() == 1);
      if (!twice.isEmpty()) {
        throw breach(
            "%s, claimed and not acked, were delivered again; the first of them to receivers %s",
            some(new TreeSet<>(twice.keySet())), twice.values().iterator().next());
      }
    }
    if (hands.size() < count) {
      inconclusive(
          "only %d of %d messages were delivered, which breaks ALO-01", hands.size(), count);
    }
  }

  // --- ALO-06 ---

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a receiver that closes without any ack gives everything back")
  void alo06_closingGivesBackWhatWasNotAcked() throws Exception {
    requireGivenBack(
        false,
        (mq, queue, sent) -> {
          Receiver first = mq.receiver(queue);
          Map<String, Delivery> held = collect(first, sent.size());
          first.close();
          return new GivenBack(held.keySet(), "the receiver that held them closed");
        });
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a receiver that waits gets what another gives back as it closes")
  void alo06_aReceiverThatWaitsGetsWhatIsGivenBack() throws Exception {
    Mq mq = open();
    Mq another = open();
    for (Mq waiter : List.of(mq, another)) {
      String queue = newQueue(mq);
      Receiver first = mq.receiver(queue);
      mq.sender(queue).send(messages("m", 1));
      if (hold(first, 1).isEmpty()) {
        inconclusive("[m0] was not delivered, which breaks ALO-01");
      }
      Receiver second = waiter.receiver(queue);
      Duration timeout = patience().multipliedBy(3);
      BoundedCall<List<Delivery>> call =
          BoundedCall.start("wait for a close", () -> receive(second, 1, timeout));
      awaitBlocked(call);
      first.close();
      if (!call.endsWithinAnother(patience())) {
        String stack = call.stack();
        call.interrupt();
        throw breach(
            "a receiver of %s connection still waits %s after another closed that held m0%s",
            waiter == mq ? "the same" : "another", patience(), stack);
      }
      if (call.failure() != null || call.value().isEmpty()) {
        throw breach(call.failure(), "receive waited for %s and brought nothing", timeout);
      }
    }
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a receiver gives back what it never handed out")
  void alo06_closingGivesBackWhatWasNeverHandedOut() throws Exception {
    requireGivenBack(
        true,
        (mq, queue, sent) -> {
          Receiver first = mq.receiver(queue);
          int one = collect(first, 1).size();
          first.close();
          return new GivenBack(
              Set.copyOf(sent), "a receiver closed that had got %d of them".formatted(one));
        });
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a receiver that acked some gives back the rest")
  void alo06_closingGivesBackTheRest() throws Exception {
    requireGivenBack(
        true,
        (mq, queue, sent) -> {
          Receiver first = mq.receiver(queue);
          return theRest(first, collect(first, sent.size()), first::close);
        });
  }

  @Checks(AloRule.ALO_06)
  @DisplayName(
      "ALO-06 a receiver that acked, released and extended some gives back all but the acked")
  void alo06_closingGivesBackWhatWasReleasedAndExtended() throws Exception {
    requireGivenBack(
        true,
        (mq, queue, sent) -> {
          Receiver first = mq.receiver(queue);
          Map<String, Delivery> held = collect(first, sent.size());
          List<Delivery> rest = List.copyOf(held.values());
          rest = rest.subList(rest.size() / 3, rest.size()); // the others are acked
          int part = (rest.size() + 2) / 3;
          if (canRelease(first)) {
            CompletableFuture<Void> unused = first.release(rest.subList(0, part));
          }
          if (canExtend(first) && part < rest.size()) {
            CompletableFuture<Void> unused =
                first.extend(rest.subList(part, Math.min(rest.size(), 2 * part)));
          }
          return theRest(first, held, first::close);
        });
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 closing the connection closes its receivers and gives everything back")
  void alo06_closingTheConnectionGivesBack() throws Exception {
    requireGivenBack(
        true,
        (mq, queue, sent) -> {
          Mq other = open();
          Map<String, Delivery> held = collect(other.receiver(queue), sent.size());
          close(other);
          return new GivenBack(held.keySet(), "the connection that held them closed");
        });
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 closing the connection of a receiver that acked some gives back the rest")
  void alo06_closingTheConnectionGivesBackTheRest() throws Exception {
    requireGivenBack(
        false,
        (mq, queue, sent) -> {
          Mq other = open();
          Receiver first = other.receiver(queue);
          return theRest(first, collect(first, sent.size()), () -> close(other));
        });
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a receiver or a connection that an interrupted thread closes gives back")
  void alo06_closingInAnInterruptedThreadGivesBack() throws Exception {
    requireGivenBack(
        true,
        (mq, queue, sent) -> {
          Receiver first = mq.receiver(queue);
          Map<String, Delivery> held = collect(first, sent.size());
          closeInAnInterruptedThread("Receiver.close", first::close);
          return new GivenBack(held.keySet(), "an interrupted thread closed their receiver");
        });
    requireGivenBack(
        true,
        (mq, queue, sent) -> {
          Mq other = open();
          Map<String, Delivery> held = collect(other.receiver(queue), sent.size());
          closeInAnInterruptedThread("Mq.close", () -> close(other));
          return new GivenBack(held.keySet(), "an interrupted thread closed their connection");
        });
  }

  /** As a worker does that was stopped by an interrupt. */
  void closeInAnInterruptedThread(String what, Runnable close) throws InterruptedException {
    BoundedCall<@Nullable Void> call =
        BoundedCall.start(
            "close",
            () -> {
              Thread.currentThread().interrupt();
              close.run();
              return null;
            });
    if (!call.endsWithin(traits().callBound().plus(slack()))) {
      throw breach("%s in an interrupted thread still waits%s", what, call.stack());
    }
    if (call.failure() != null) {
      throw breach(call.failure(), "%s in an interrupted thread threw %s", what, call.failure());
    }
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a message that is given back time and again comes each time")
  void alo06_whatIsGivenBackTimeAndAgainComes() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    long start = System.nanoTime();
    // Brokers give up after 6, 10 or 20 deliveries where nobody told them not to.
    int most = Math.min(25, mostDeliveries());
    for (int i = 0; i < most && (i < 12 || !hasPassed(enough().multipliedBy(3), start)); i++) {
      try (Receiver receiver = mq.receiver(queue)) {
        if (hold(receiver, 1).isEmpty()) {
          throw breach("m0 was given back %d times, and did not come again in %s", i, patience());
        }
      }
    }
  }

  @Checks(AloRule.ALO_06)
  @Order(Checks.LONG)
  @DisplayName("ALO-06 a receiver that holds thousands gives all of them back as it closes")
  void alo06_closingGivesBackThousands() throws Exception {
    Mq mq = open();
    Mq another = open();
    requireThousandsBack(
        "their receiver closed",
        (queue, count) -> {
          Receiver first = mq.receiver(queue);
          List<Delivery> held = holdWithin(THOUSANDS_WITHIN, first, count);
          first.close();
          return new Given(ids(held), List.of(mq.receiver(queue)));
        });
    requireThousandsBack(
        "the connection of their two receivers closed",
        (queue, count) -> {
          Mq closing = open();
          List<Delivery> held =
              new ArrayList<>(holdWithin(THOUSANDS_WITHIN / 2, closing.receiver(queue), count / 2));
          held.addAll(holdWithin(THOUSANDS_WITHIN / 2, closing.receiver(queue), count / 2));
          close(closing);
          return new Given(ids(held), List.of(another.receiver(queue)));
        });
  }

  /** What was given back, and who looks for it, in turn. */
  record Given(List<String> ids, List<Receiver> next) {}

  interface GivingThousands {
    Given back(String queue, int count) throws Exception;
  }

  /**
   * What was held comes back before the claims end, however many there are. Where that takes long,
   * a pause says that no more comes, and not that there is no time.
   */
  void requireThousandsBack(String after, GivingThousands giving) throws Exception {
    int count = few(draw(2_100, 3_000));
    Mq mq = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq);
      sendInTime(mq.sender(queue), messages("m", count));
      long start = now();
      Given given = giving.back(queue, count);
      Set<String> missing = new LinkedHashSet<>(given.ids);
      if (missing.isEmpty()) {
        inconclusive("nothing was delivered that could come back");
      }
      int held = missing.size();
      long found = now();
      long looked = found;
      int looks = 0;
      Waiting waiting = new Waiting(patience());
      for (int turn = 0;
          !missing.isEmpty() && !waiting.isOver() && !claimsMayHaveEnded(start);
          turn++) {
        Receiver next = given.next.get(turn % given.next.size());
        List<Delivery> got = receive(next, missing.size(), oneWait());
        if (claimsMayHaveEnded(start)) {
          break;
        }
        boolean more = missing.removeAll(Set.copyOf(ids(got)));
        waiting.progress(more);
        looked = now();
        found = more ? looked : found;
        looks = more ? 0 : looks + 1;
      }
      given.next.forEach(Receiver::close);
      if (missing.isEmpty()) {
        return;
      }
      boolean paused =
          waiting.isOver()
              || (looks >= LEAST_LOOKS
                  && looked - found > traits().claimPeriod().orElseThrow().toNanos() * 2 / 5);
      if (paused) {
        throw breach(
            "%d of %d were not acked, and did not come back in %s after %s: %s",
            missing.size(), held, Duration.ofNanos(now() - start), after, some(missing));
      }
      count = Math.max(1, held / 2);
    }
    inconclusive("what was held took longer to come back each time than claims last");
  }

  /** Sends as many of them as there is time for. */
  private void sendInTime(Sender sender, List<Message> messages) throws InterruptedException {
    long start = System.nanoTime();
    for (int from = 0; from < messages.size() && !hasPassed(enough(), start); from += 200) {
      sender.send(messages.subList(from, Math.min(messages.size(), from + 200)));
    }
  }

  private GivenBack theRest(Receiver first, Map<String, Delivery> held, Runnable close) {
    List<String> acked = List.copyOf(held.keySet()).subList(0, held.size() / 3);
    CompletableFuture<Void> ack = first.ack(acked.stream().map(held::get).toList());
    close.run();
    if (!ack.isDone()) {
      throw breach("close returned, and the ack of %s is still open", acked);
    }
    Set<String> rest = new LinkedHashSet<>(held.keySet());
    acked.forEach(rest::remove);
    return new GivenBack(rest, "a close, before which only " + acked + " had been acked");
  }

  /** What must come back, and after what. */
  private record GivenBack(Set<String> expected, String after) {}

  private interface GivingBack {
    GivenBack run(Mq mq, String queue, List<String> sent) throws Exception;
  }

  /**
   * What was held comes back by the close, and not by the end of the claim period: it must be there
   * clearly before that. Where a try took too long to tell, it is made again.
   *
   * @param senderOpen whether a sender of the queue stays open, which giving back must not need
   */
  private void requireGivenBack(boolean senderOpen, GivingBack giving) throws Exception {
    boolean tried = false;
    for (int i = 0; i < TRIES; i++) {
      Mq mq = open();
      String queue = newQueue(mq);
      List<Message> sent = messages("m", few(10));
      Sender sender = mq.sender(queue);
      sender.send(sent);
      if (!senderOpen) {
        sender.close();
      }
      long start = now(); // no claim can begin before
      GivenBack given = giving.run(mq, queue, idsOf(sent));
      if (given.expected.isEmpty()) {
        inconclusive("nothing was delivered that could come back");
      }
      if (claimsMayBeAt(0.6, start)) {
        continue;
      }
      tried = true;
      Set<String> missing =
          missingFrom(mq.receiver(queue), given.expected, () -> claimsMayHaveEnded(start));
      if (missing.isEmpty()) {
        return;
      }
      if (i == TRIES - 1 || !claimsMayHaveEnded(start)) {
        throw breach(
            "%s had not been acked, and did not come back within %s after %s; %s",
            some(missing),
            Duration.ofNanos(now() - start),
            given.after,
            claimsMayHaveEnded(start) ? "then their claims end anyway" : "no claim had ended");
      }
    }
    if (!tried) {
      inconclusive(
          "a claim period of %s is over before a close shows what it gives back",
          traits().claimPeriod());
    }
    throw breach("what was held did not come back before the end of the claim period");
  }

  // --- ALO-08 ---

  @Checks(AloRule.ALO_08)
  @Order(Checks.LONG)
  @DisplayName("ALO-08 at the end of the claim period other receivers get the messages, twice too")
  void alo08_theEndOfTheClaimPeriodGivesBack() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    Mq another = open();
    String queue = newQueue(mq);
    String queueOfAnother = newQueue(mq);
    mq.sender(queue).send(messages("m", few(10)));
    mq.sender(queueOfAnother).send(messages("other", few(10)));
    String queueOfOne = newQueue(mq);
    mq.sender(queueOfOne).send(messages("own", few(10)));
    Receiver only = mq.receiver(queueOfOne);
    // Half of what it can hold: some systems count what has ended until it comes again.
    Map<String, Delivery> heldByOne = collect(only, few(10) / 2);
    String queueOfMany = newQueue(mq);
    int many = few(draw(300, 500));
    sendAll(mq.sender(queueOfMany), messages("many", many));
    List<Delivery> heldMany = hold(mq.receiver(queueOfMany), many);
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> held = collect(first, few(10));
    Map<String, Delivery> heldToo = collect(mq.receiver(queueOfAnother), few(10));
    // A worker that looks for more work does not hold what it has for longer by that.
    pass(period.dividedBy(2));
    receive(first, 1, Duration.ZERO);
    pass(period.minus(period.dividedBy(2)).plusMillis(1));
    requireBack(heldByOne.keySet(), only, "the claim period, to the receiver that held them");
    Receiver second = mq.receiver(queue);
    Receiver ofAnother = another.receiver(queueOfAnother);
    requireBack(held.keySet(), second, "the claim period of " + period);
    requireBack(heldToo.keySet(), ofAnother, "the claim period, over another connection");
    requireBack(
        new LinkedHashSet<>(ids(heldMany)),
        mq.receiver(queueOfMany),
        "the claim period, in which one receiver held " + heldMany.size());
    pass(period.plusMillis(1));
    requireBack(held.keySet(), another.receiver(queue), "the claim period, for a second time");
  }

  @Checks(AloRule.ALO_08)
  @Order(Checks.LONG)
  @DisplayName("ALO-08 a receiver that looks for more again and again keeps no claim by that")
  void alo08_lookingForMoreKeepsNoClaim() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Receiver first = mq.receiver(queue);
    Receiver second = open().receiver(queue);
    if (hold(first, 1).isEmpty()) {
      inconclusive("[m0] was not delivered, which breaks ALO-01");
    }
    long start = now();
    while (true) {
      pass(period.dividedBy(8));
      boolean isOver = now() - start > period.toNanos();
      if (!receive(first, 1, Duration.ZERO).isEmpty()
          || (isOver && !receive(second, 1, Duration.ZERO).isEmpty())) {
        return;
      }
      if (now() - start > period.multipliedBy(2).plus(patience()).toNanos()) {
        throw breach(
            "m0 did not come back within %s, the claim period is %s; its receiver looked for more"
                + " all the time",
            Duration.ofNanos(now() - start), period);
      }
    }
  }

  @Checks(AloRule.ALO_08)
  @Order(Checks.LONG)
  @DisplayName("ALO-08 receivers that already wait get them too")
  void alo08_aWaitingReceiverGetsThem() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    Mq another = open();
    Map<Mq, BoundedCall<List<Delivery>>> waiting = new LinkedHashMap<>();
    for (Mq waiter : List.of(mq, another)) {
      String queue = newQueue(mq);
      mq.sender(queue).send(messages("m", 1));
      List<Delivery> held = hold(mq.receiver(queue), 1);
      if (held.isEmpty()) {
        inconclusive("[m0] was not delivered, which breaks ALO-01");
      }
      Receiver second = waiter.receiver(queue);
      BoundedCall<List<Delivery>> call =
          BoundedCall.start(
              "wait for an expiry",
              () -> receive(second, 1, period.plus(patience().multipliedBy(3))));
      awaitBlocked(call);
      waiting.put(waiter, call);
    }
    pass(period.plusMillis(1));
    for (Map.Entry<Mq, BoundedCall<List<Delivery>>> entry : waiting.entrySet()) {
      BoundedCall<List<Delivery>> call = entry.getValue();
      if (!call.endsWithinAnother(patience())) {
        String stack = call.stack();
        call.interrupt();
        throw breach(
            "a receiver of %s connection waits on at the end of the claim period of %s%s",
            entry.getKey() == mq ? "the same" : "another", period, stack);
      }
      if (!ids(call.value()).equals(List.of("m0"))) {
        throw breach(
            "a receiver of %s connection that waited through the claim period of %s got %s, not m0",
            entry.getKey() == mq ? "the same" : "another", period, ids(call.value()));
      }
    }
  }

  void requireBack(Set<String> held, Receiver receiver, String after) throws InterruptedException {
    requireNoneMissing(missingFrom(receiver, held), after);
  }

  void requireNoneMissing(Set<String> missing, String after) {
    if (!missing.isEmpty()) {
      throw breach(
          "%s had not been acked, and did not come back within %s after %s",
          some(missing), patience(), after);
    }
  }

  Duration claimPeriod() {
    if (traits().claimPeriod().isEmpty()) {
      inconclusive("no claim period is declared: claims never expire here");
    }
    return traits().claimPeriod().orElseThrow();
  }

  /** Waits until the call's thread waits for something, or has ended. */
  void awaitBlocked(BoundedCall<?> call) throws InterruptedException {
    long start = System.nanoTime();
    while (!call.hasEnded()
        && call.thread().getState() != Thread.State.WAITING
        && call.thread().getState() != Thread.State.TIMED_WAITING
        && !hasPassed(oneWait(), start)) {
      Thread.onSpinWait();
    }
  }

  // --- ALO-12 ---

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive returns at most max, and keeps the rest")
  void alo12_receiveReturnsAtMostMax() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", 50);
    mq.sender(queue).send(sent);
    Receiver receiver = mq.receiver(queue);
    Set<String> missing = new LinkedHashSet<>(idsOf(sent));
    int[] max = {1, 2, 3, 10, 7};
    Waiting waiting = new Waiting(patience());
    for (int i = 0; !missing.isEmpty() && !waiting.isOver(); i++) {
      List<Delivery> got = requireList(receiver.receive(max[i % max.length], oneWait()));
      if (got.size() > max[i % max.length]) {
        throw breach("receive(%d, ...) returned %s", max[i % max.length], some(ids(got)));
      }
      waiting.progress(missing.removeAll(Set.copyOf(ids(got))));
      ackIfPossible(receiver, got);
    }
    if (!missing.isEmpty()) {
      throw breach("with small max, %s were not delivered in %s", some(missing), patience());
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 a max of thousands and more is kept to, and finds what is there")
  void alo12_aLargeMaxFindsWhatIsThere() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    int[] most = {1_500, 10_001, 20_000, Integer.MAX_VALUE};
    for (int i = 0; i < most.length; i++) {
      int max = most[i];
      List<Message> sent = messages("max" + max + "-", i == 0 ? max + draw(1, 99) : draw(2, 9));
      sendAll(sender, sent);
      Set<String> missing = new LinkedHashSet<>(idsOf(sent));
      Waiting waiting = new Waiting(patience());
      while (!missing.isEmpty()) {
        List<Delivery> got = requireList(receiver.receive(max, oneWait()));
        if (got.size() > max) {
          throw breach("receive(%d, ...) returned %d messages", max, got.size());
        }
        waiting.progress(missing.removeAll(Set.copyOf(ids(got))));
        if (waiting.isOver()) {
          throw breach("receive(%d, ...) did not return %s", max, some(missing));
        }
        ackIfPossible(receiver, got);
      }
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive returns as soon as something is there, by a control's measure")
  void alo12_receiveReturnsAsSoonAsSomethingIsThere() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    Sender sender = mq.sender(queue);
    Sender control = mq.sender(newQueue(mq));
    warmUp(receiver);
    List<Duration> late = new ArrayList<>();
    while (late.size() < TRIES) {
      List<Duration> roundTrips = new ArrayList<>();
      List<Duration> waits = new ArrayList<>();
      int soon = 0;
      // Until most of the rounds have decided.
      for (int i = 0; soon <= ROUNDS / 2 && waits.size() - soon <= ROUNDS / 2; i++) {
        String id = "m" + late.size() + "-" + i;
        Duration wait = waitAfterArrival(receiver, sender, id, i, roundTrips, control);
        waits.add(wait);
        soon += wait.compareTo(soon(roundTrips)) <= 0 ? 1 : 0;
      }
      if (soon > ROUNDS / 2) {
        return;
      }
      Collections.sort(waits);
      late.add(waits.get(waits.size() / 2));
      if (late.size() == TRIES) {
        throw breach(
            "%d times a receive returned late after a message was confirmed, by medians of %s;"
                + " beside sends at the same time %s were allowed",
            TRIES, late, soon(roundTrips));
      }
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 of several receivers that wait each gets one of as many messages")
  void alo12_everyReceiverThatWaitsWakesUp() throws Exception {
    Mq mq = open();
    Mq another = open();
    Duration timeout = hangBound().multipliedBy(2);
    boolean ahead = fetchesAhead(mq, another);
    for (int round = 0; round < 3; round++) {
      String queue = newQueue(mq); // what was acked in the round before may come again
      List<Receiver> receivers =
          List.of(mq.receiver(queue), another.receiver(queue), another.receiver(queue));
      warmUp(receivers.toArray(Receiver[]::new));
      List<BoundedCall<Boolean>> waiting = new ArrayList<>();
      for (Receiver receiver : receivers) {
        waiting.add(
            BoundedCall.start(
                "receive",
                () -> {
                  List<Delivery> got = requireList(receiver.receive(1, timeout));
                  ackIfPossible(receiver, got); // else the end of its claim wakes the others
                  if (ahead) { // what it fetched for later goes to the others
                    receiver.close();
                  }
                  return !got.isEmpty();
                }));
      }
      for (BoundedCall<Boolean> call : waiting) {
        awaitBlocked(call);
      }
      mq.sender(queue).send(messages("round" + round + "-", receivers.size()));
      for (BoundedCall<Boolean> call : waiting) {
        if (!call.endsWithinAnother(hangBound()) || !call.value()) {
          throw breach(
              "%d receivers waited for as many messages, and one got none within %s",
              receivers.size(), hangBound());
        }
      }
    }
  }

  /** Whether a receiver takes more than it was asked for, which others then do not get. */
  private boolean fetchesAhead(Mq mq, Mq another) throws InterruptedException {
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 3));
    try (Receiver first = mq.receiver(queue);
        Receiver second = another.receiver(queue)) {
      int one = hold(first, 1).size();
      int others = 0;
      long start = System.nanoTime();
      while (others < 2 && !hasPassed(oneWait().multipliedBy(4), start)) {
        others += receive(second, 2 - others, oneWait()).size();
      }
      return one + others < 3;
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 a timeout of months or ages waits, and ends with a message")
  void alo12_aTimeoutOfAgesWaits() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    // Above an int of milliseconds, a long of nanoseconds, a long of milliseconds.
    List<Duration> timeouts =
        List.of(Duration.ofDays(30), Duration.ofDays(200_000), Duration.ofSeconds(Long.MAX_VALUE));
    for (Duration timeout : timeouts) {
      CountDownLatch called = new CountDownLatch(1);
      BoundedCall<List<Delivery>> waiting =
          BoundedCall.start(
              "receive",
              () -> {
                called.countDown();
                return requireList(receiver.receive(1, timeout));
              });
      requireInTime(called);
      if (!waiting.endsWithinAnother(oneWait())) {
        sender.send(messages("for " + timeout + "-", 1));
        if (!waiting.endsWithinAnother(hangBound())) {
          waiting.interrupt();
          throw breach("receive(1, %s) still waits beside a message%s", timeout, waiting.stack());
        }
      }
      Throwable failure = waiting.failure();
      if (failure != null || waiting.value().isEmpty()) {
        throw breach(
            failure,
            "receive(1, %s) ended without a message: %s",
            timeout,
            failure == null ? "[]" : failure);
      }
      ackIfPossible(receiver, waiting.value());
    }
  }

  private static Duration soon(List<Duration> roundTrips) {
    List<Duration> sorted = new ArrayList<>(roundTrips);
    Collections.sort(sorted);
    return SOON.plus(sorted.get(sorted.size() / 2).multipliedBy(5));
  }

  /** How long a receive that waits goes on after a message for it was confirmed. */
  private Duration waitAfterArrival(
      Receiver receiver,
      Sender sender,
      String id,
      int round,
      List<Duration> roundTrips,
      Sender control)
      throws Exception {
    Duration timeout = patience().multipliedBy(2);
    BoundedCall<List<Delivery>> waiting =
        BoundedCall.start("receive", () -> requireList(receiver.receive(10, timeout)));
    awaitBlocked(waiting);
    if (round % 2 == 1) { // a receiver that looks less often the longer it waits shows now
      waiting.endsWithinAnother(oneWait());
    }
    sender.send(List.of(message(id)));
    long confirmed = System.nanoTime();
    // Half of the timeout: far above any broker's latency, and far below waiting for the timeout.
    while (!waiting.endsWithinAnother(oneWait().dividedBy(5))) {
      if (hasPassed(timeout.dividedBy(2), confirmed)) {
        waiting.interrupt();
        throw breach(
            "receive(10, %s) still waits %s after [%s] was confirmed",
            timeout, timeout.dividedBy(2), id);
      }
      timeOfASend(control, roundTrips);
    }
    List<String> got = ids(waiting.value());
    // What was sent before may come again: that is for ALO-09.
    if (got.isEmpty() || !got.stream().allMatch(one -> one.matches("m\\d+-\\d+"))) {
      throw breach("receive(10, %s) returned %s instead of [%s]", timeout, got, id);
    }
    timeOfASend(control, roundTrips);
    ackIfPossible(receiver, waiting.value());
    return waiting.endedAfter(confirmed);
  }

  private static void timeOfASend(Sender control, List<Duration> times)
      throws InterruptedException {
    long start = System.nanoTime();
    control.send(List.of(message("control")));
    times.add(Duration.ofNanos(System.nanoTime() - start));
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive returns an empty list at the timeout, not before and not much later")
  void alo12_anEmptyListAtTheTimeout() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    // Some clients take a millisecond that is not whole for zero, and zero for no timeout.
    List<Duration> timeouts =
        List.of(
            oneWait().multipliedBy(3),
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofNanos(999_999));
    for (Duration timeout : timeouts) {
      Duration least = hangBound();
      for (int i = 0; i < TRIES; i++) {
        AtomicLong called = new AtomicLong();
        BoundedCall<List<Delivery>> call =
            BoundedCall.start(
                "receive",
                () -> {
                  called.set(System.nanoTime());
                  return requireList(receiver.receive(5, timeout));
                });
        if (!call.endsWithin(timeout.plus(hangBound()))) {
          String stack = call.stack();
          call.interrupt();
          throw breach("receive(5, %s) on an empty queue still waits%s", timeout, stack);
        }
        if (!call.value().isEmpty()) {
          throw breach("an empty queue delivered %s", ids(call.value()));
        }
        Duration took = call.endedAfter(called.get());
        // Clients count in milliseconds: one too few by rounding is not early.
        if (took.compareTo(timeout.minusMillis(2)) < 0) {
          throw breach("receive(5, %s) gave up after %s", timeout, took);
        }
        least = shorter(least, took.minus(timeout));
      }
      if (least.compareTo(MUCH_LATER) > 0) {
        throw breach("receive(5, %s) on an empty queue ended %s later each time", timeout, least);
      }
    }
    requireTimeoutWhileBusy(receiver, mq.sender(newQueue(mq)));
  }

  /** Whatever wakes a receiver that waits does not start its timeout anew. */
  private void requireTimeoutWhileBusy(Receiver receiver, Sender ofAnother) throws Exception {
    Duration bound = WHILE_BUSY.plus(hangBound());
    BoundedCall<List<Delivery>> call =
        BoundedCall.start("receive", () -> requireList(receiver.receive(5, WHILE_BUSY)));
    long start = System.nanoTime();
    while (!call.hasEnded() && !hasPassed(bound, start)) {
      ofAnother.send(messages("another", 1));
      LockSupport.parkNanos(100_000);
    }
    if (!call.hasEnded()) {
      String stack = call.stack();
      call.interrupt();
      throw breach(
          "receive(5, %s) still waits after %s, while messages are sent to another queue%s",
          WHILE_BUSY, bound, stack);
    }
    if (!call.value().isEmpty()) {
      throw breach("an empty queue delivered %s", ids(call.value()));
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive with a timeout of zero finds what is there, and what came since")
  void alo12_aTimeoutOfZeroFindsWhatIsThere() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    long start = System.nanoTime();
    ackIfPossible(receiver, lookUntilFound(receiver, "m0", start));
    List<Duration> late = new ArrayList<>();
    while (late.size() < MOST_LOOKS) {
      start = System.nanoTime();
      ackIfPossible(receiver, requireList(receiver.receive(1, Duration.ZERO))); // finds nothing
      sender.send(messages("since" + late.size() + "-", 1));
      long confirmed = System.nanoTime();
      List<Delivery> found = lookUntilFound(receiver, "since" + late.size() + "-0", confirmed);
      Duration after = Duration.ofNanos(System.nanoTime() - confirmed);
      ackIfPossible(receiver, found);
      Duration asSlowAsCalls = Duration.ofNanos(confirmed - start).multipliedBy(10);
      if (after.compareTo(AT_ONCE) <= 0 || after.compareTo(asSlowAsCalls) <= 0) {
        return;
      }
      late.add(after);
    }
    throw breach(
        "after one that found nothing, receive(1, 0) called time and again returned what was sent"
            + " only %s after it was confirmed",
        late);
  }

  private List<Delivery> lookUntilFound(Receiver receiver, String what, long start)
      throws InterruptedException {
    while (!hasPassed(patience(), start)) {
      List<Delivery> got = requireList(receiver.receive(1, Duration.ZERO));
      if (!got.isEmpty()) {
        return got;
      }
    }
    throw breach("receive(1, 0) called for %s never returned [%s]", patience(), what);
  }

  private List<Delivery> requireList(@Nullable List<Delivery> got) {
    if (got == null) {
      throw breach("receive returned null");
    }
    return got;
  }
}
