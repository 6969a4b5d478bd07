package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;

/** Claims, and how receive behaves: ALO-05, ALO-06, ALO-08, ALO-12. One thread at a time. */
abstract class ReceiveRules extends SendRules {

  // --- ALO-05 ---

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 two receivers of one connection never hold the same message")
  void alo05_aClaimedMessageIsHiddenFromOtherReceivers() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver first = mq.receiver(queue);
    Receiver second = mq.receiver(queue);
    warmUp(first, second);
    List<Message> sent = messages("m", few(200));
    mq.sender(queue).send(sent);
    holdAll(sent.size(), first, second);
  }

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 a receiver that joins over another connection gets nothing that is claimed")
  void alo05_aReceiverThatJoinsGetsNothingClaimed() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", few(20));
    mq.sender(queue).send(sent);
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> held = collect(first, (sent.size() + 1) / 2);
    Receiver joining = open().receiver(queue);
    Map<String, List<Integer>> hands = new HashMap<>();
    held.keySet().forEach(id -> hands.computeIfAbsent(id, i -> new ArrayList<>()).add(0));
    holdAll(hands, sent.size(), first, joining);
  }

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 a claim does not end before its period")
  void alo05_aClaimLastsItsPeriod() throws Exception {
    Duration period = traits().claimPeriod().orElse(Duration.ofSeconds(1));
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Receiver first = mq.receiver(queue);
    Map<String, List<Integer>> hands = new HashMap<>();
    collect(first, 1).keySet().forEach(id -> hands.put(id, new ArrayList<>(List.of(0))));
    Receiver second = mq.receiver(queue);
    elapse(period.dividedBy(2));
    holdAll(hands, 1, first, second);
  }

  private void holdAll(int count, Receiver... receivers) throws InterruptedException {
    holdAll(new HashMap<>(), count, receivers);
  }

  /** Receives all there is without an ack: no message may come twice. */
  private void holdAll(Map<String, List<Integer>> hands, int count, Receiver... receivers)
      throws InterruptedException {
    long start = System.nanoTime();
    long complete = start;
    while (!hasPassed(hands.size() < count ? patience() : window(), complete)) {
      boolean wasComplete = hands.size() == count;
      for (int i = 0; i < receivers.length; i++) {
        for (Delivery delivery : receive(receivers[i], 50, oneWait().dividedBy(2))) {
          hands.computeIfAbsent(id(delivery), id -> new ArrayList<>()).add(i);
        }
      }
      if (!wasComplete && hands.size() == count) {
        complete = System.nanoTime();
      }
    }
    Map<String, List<Integer>> twice = new HashMap<>(hands);
    twice.values().removeIf(receiversOfOne -> receiversOfOne.size() == 1);
    if (!twice.isEmpty()) {
      throw breach(
          "%s, claimed and not acked, were delivered again; the first of them to receivers %s",
          some(new TreeSet<>(twice.keySet())), twice.values().iterator().next());
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
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> held = collect(first, few(10));
    first.close();
    requireBack(held.keySet(), mq.receiver(queue), "the receiver that held them closed");
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 a receiver that acked some gives back the rest")
  void alo06_closingGivesBackTheRest() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> held = collect(first, few(10));
    List<String> acked = List.copyOf(held.keySet()).subList(0, held.size() / 3);
    CompletableFuture<Void> ack = first.ack(acked.stream().map(held::get).toList());
    first.close();
    if (!ack.isDone()) {
      throw breach("close returned, and the ack of %s is still open", acked);
    }
    Set<String> rest = new LinkedHashSet<>(held.keySet());
    acked.forEach(rest::remove);
    requireBack(rest, mq.receiver(queue), "the receiver closed that had acked only " + acked);
  }

  @Checks(AloRule.ALO_06)
  @DisplayName("ALO-06 closing the connection closes its receivers and gives everything back")
  void alo06_closingTheConnectionGivesBack() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(10)));
    Mq other = open();
    Map<String, Delivery> held = collect(other.receiver(queue), few(10));
    close(other);
    requireBack(held.keySet(), mq.receiver(queue), "the connection that held them closed");
  }

  private void requireBack(Set<String> held, Receiver receiver, String after)
      throws InterruptedException {
    Set<String> missing = missingFrom(receiver, held);
    if (!missing.isEmpty()) {
      throw breach(
          "%s had not been acked, and did not come back within %s after %s",
          some(missing), patience(), after);
    }
  }

  // --- ALO-08 ---

  @Checks(AloRule.ALO_08)
  @DisplayName("ALO-08 at the end of the claim period another receiver gets the messages")
  void alo08_theEndOfTheClaimPeriodGivesBack() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(10)));
    Map<String, Delivery> held = collect(mq.receiver(queue), few(10));
    elapse(period.plusMillis(1));
    requireBack(held.keySet(), mq.receiver(queue), "the claim period of " + period);
  }

  @Checks(AloRule.ALO_08)
  @DisplayName("ALO-08 a receiver that already waits gets them too")
  void alo08_aWaitingReceiverGetsThem() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Map<String, Delivery> held = collect(mq.receiver(queue), 1);
    Receiver second = mq.receiver(queue);
    BoundedCall<List<Delivery>> waiting =
        BoundedCall.start("wait for an expiry", () -> receive(second, 1, period.plus(patience())));
    awaitBlocked(waiting);
    elapse(period.plusMillis(1));
    if (!waiting.endsWithinAnother(patience())) {
      throw breach("receive waits at the end of the claim period of %s%s", period, waiting.stack());
    }
    if (!ids(waiting.value()).equals(List.copyOf(held.keySet()))) {
      throw breach(
          "a receiver that waited through the claim period of %s got %s instead of %s",
          period, ids(waiting.value()), held.keySet());
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
    long start = System.nanoTime();
    for (int i = 0; !missing.isEmpty() && !hasPassed(patience(), start); i++) {
      List<Delivery> got = requireList(receiver.receive(max[i % max.length], oneWait()));
      if (got.size() > max[i % max.length]) {
        throw breach("receive(%d, ...) returned %s", max[i % max.length], some(ids(got)));
      }
      ids(got).forEach(missing::remove);
      ackAndWait(receiver, got);
    }
    if (!missing.isEmpty()) {
      throw breach("with small max, %s were not delivered in %s", some(missing), patience());
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive returns as soon as something is there")
  void alo12_receiveReturnsAsSoonAsSomethingIsThere() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    Duration timeout = patience().multipliedBy(2);
    BoundedCall<List<Delivery>> waiting =
        BoundedCall.start("receive", () -> requireList(receiver.receive(10, timeout)));
    awaitBlocked(waiting);
    mq.sender(queue).send(messages("m", 1));
    // Half of the timeout: far above any broker's latency, and far below waiting for the timeout.
    if (!waiting.endsWithinAnother(timeout.dividedBy(2))) {
      waiting.interrupt();
      throw breach(
          "receive(10, %s) still waits %s after [m0] was confirmed", timeout, timeout.dividedBy(2));
    }
    List<String> got = ids(waiting.value());
    if (!got.equals(List.of("m0"))) {
      throw breach("receive(10, %s) returned %s instead of [m0]", timeout, got);
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive returns an empty list at the timeout, not before and not much later")
  void alo12_anEmptyListAtTheTimeout() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver receiver = mq.receiver(queue);
    warmUp(receiver);
    for (Duration timeout : List.of(oneWait(), Duration.ZERO)) {
      BoundedCall<List<Delivery>> call =
          BoundedCall.start("receive", () -> requireList(receiver.receive(5, timeout)));
      if (!call.endsWithin(timeout.plus(patience().dividedBy(2)))) {
        call.interrupt();
        throw breach("receive(5, %s) on an empty queue still waits%s", timeout, call.stack());
      }
      if (!call.value().isEmpty()) {
        throw breach("an empty queue delivered %s", ids(call.value()));
      }
      // Clients count in milliseconds: one too few by rounding is not early.
      if (call.took().compareTo(timeout.minusMillis(2)) < 0) {
        throw breach("receive(5, %s) gave up after %s", timeout, call.took());
      }
    }
  }

  @Checks(AloRule.ALO_12)
  @DisplayName("ALO-12 receive with a timeout of zero finds what is there")
  void alo12_aTimeoutOfZeroFindsWhatIsThere() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    long start = System.nanoTime();
    while (!hasPassed(patience(), start)) {
      List<Delivery> got = requireList(receiver.receive(1, Duration.ZERO));
      if (!got.isEmpty()) {
        return;
      }
    }
    throw breach("receive(1, 0) called for %s never returned [m0]", patience());
  }

  private List<Delivery> requireList(@Nullable List<Delivery> got) {
    if (got == null) {
      throw breach("receive returned null");
    }
    return got;
  }
}
