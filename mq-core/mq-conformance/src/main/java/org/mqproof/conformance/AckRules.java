package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.mqproof.AckMode;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/** What an ack settles, and what it does not: ALO-09, ALO-10, ALO-11. One thread at a time. */
abstract class AckRules extends ReceiveRules {

  // --- ALO-09 ---

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 what was acked in batches stays away, also after close and reconnect")
  void alo09_ackedMessagesStayAway() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", 111));
    Receiver first = mq.receiver(queue);
    Set<String> acked = new LinkedHashSet<>();
    for (int size : new int[] {1, 10, 100}) {
      Map<String, Delivery> batch = collect(first, few(size));
      ackAndWait(first, batch.values());
      acked.addAll(batch.keySet());
    }
    // The rest, where a receiver can hold only few: this is about the acked ones.
    acked.addAll(drain(first, missing(111, acked)));
    requireAway(acked, besidesMarker(first, sender, "marker0"), "by the receiver that acked");
    if (traits().claimPeriod().isPresent()) {
      elapse(traits().claimPeriod().orElseThrow().plusMillis(1));
      requireAway(acked, besidesMarker(first, sender, "marker1"), "after the claim period");
    }
    first.close();
    requireAway(
        acked, besidesMarker(mq.receiver(queue), sender, "marker2"), "after its receiver closed");
    close(mq);
    Mq again = open();
    requireAway(
        acked,
        besidesMarker(again.receiver(queue), again.sender(queue), "marker3"),
        "after close and reconnect");
  }

  private static List<String> missing(int count, Set<String> acked) {
    List<String> missing = new ArrayList<>(idsOf(messages("m", count)));
    missing.removeAll(acked);
    return missing;
  }

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 an ack that completes while its receiver closes holds")
  void alo09_anAckThatCompletesOnCloseHolds() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> batch = collect(first, few(10));
    CompletableFuture<Void> ack = first.ack(batch.values());
    first.close();
    try {
      ack.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw breach("the receiver closed, and the ack of %s is still open", some(batch.keySet()));
    } catch (ExecutionException e) {
      throw breach(
          e.getCause(),
          "all of %s were acked before the close, which did not finish the ack: %s",
          some(batch.keySet()),
          e.getCause());
    }
    requireAway(
        batch.keySet(),
        besidesMarker(mq.receiver(queue), sender, "marker"),
        "after the receiver closed at once");
  }

  private void requireAway(Set<String> acked, List<String> seen, String when) {
    Set<String> back = new LinkedHashSet<>(seen);
    back.retainAll(acked);
    if (!back.isEmpty()) {
      throw breach(
          "%s were delivered again %s, although their acks had completed", some(back), when);
    }
  }

  // --- ALO-10 ---

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 acks of every other message, last first, settle these and no others")
  void alo10_anAckSettlesTheNamedAndNoOthers() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(20)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = new ArrayList<>(collect(first, few(20)).values());
    Map<String, CompletableFuture<Void>> acks = new LinkedHashMap<>();
    for (int i = held.size() - 1; i >= 0; i--) {
      if (i % 2 == 1) {
        acks.put(id(held.get(i)), first.ack(List.of(held.get(i))));
      }
    }
    closeAndCompare(first, mq.receiver(queue), sender, ids(held), acks);
  }

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 an ack of a part of a batch, as one call, settles this part and no other")
  void alo10_anAckOfAPartSettlesThisPart() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(20)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = new ArrayList<>(collect(first, few(20)).values());
    List<Delivery> part = held.subList(held.size() / 3, held.size() * 2 / 3);
    CompletableFuture<Void> ack = first.ack(part);
    Map<String, CompletableFuture<Void>> acks = new LinkedHashMap<>();
    part.forEach(delivery -> acks.put(id(delivery), ack));
    // A whole-prefix ack of several parts of the queue may be done for some of them and not for
    // others, and then fails as one; only its messages that it failed for may come back.
    boolean whole = traits().ackMode() == AckMode.WHOLE_PREFIX;
    closeAndCompare(first, mq.receiver(queue), sender, ids(held), acks, whole);
  }

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 acks one by one, last first, settle all once all are acked")
  void alo10_acksInAnyOrderSettleAll() throws Exception {
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(20)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = new ArrayList<>(collect(first, few(20)).values());
    Collections.reverse(held);
    Map<String, CompletableFuture<Void>> acks = new LinkedHashMap<>();
    held.forEach(delivery -> acks.put(id(delivery), first.ack(List.of(delivery))));
    for (Map.Entry<String, CompletableFuture<Void>> ack : acks.entrySet()) {
      requireSettled(ack.getKey(), ack.getValue());
    }
    first.close();
    List<String> back = besidesMarker(mq.receiver(queue), sender, "marker");
    if (!back.isEmpty()) {
      throw breach("%s came back after all had been acked one by one", some(back));
    }
  }

  private void requireSettled(String id, CompletableFuture<Void> ack) throws InterruptedException {
    try {
      ack.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw breach("the ack of %s did not complete in %s", id, patience());
    } catch (ExecutionException e) {
      throw breach(e.getCause(), "the ack of %s failed: %s", id, e.getCause());
    }
  }

  private void closeAndCompare(
      Receiver first,
      Receiver second,
      Sender sender,
      List<String> held,
      Map<String, CompletableFuture<Void>> acks)
      throws Exception {
    closeAndCompare(first, second, sender, held, acks, false);
  }

  /**
   * Closes the receiver. Messages whose ack succeeded must stay away, all others come back.
   *
   * @param failedMayStayAway whether a failed ack may stand for some messages that it did settle
   */
  private void closeAndCompare(
      Receiver first,
      Receiver second,
      Sender sender,
      List<String> held,
      Map<String, CompletableFuture<Void>> acks,
      boolean failedMayStayAway)
      throws Exception {
    if (traits().ackMode() == AckMode.SELECTIVE) {
      for (Map.Entry<String, CompletableFuture<Void>> ack : acks.entrySet()) {
        requireSettled(ack.getKey(), ack.getValue());
      }
    }
    first.close();
    Set<String> settled = new LinkedHashSet<>();
    Set<String> failed = new LinkedHashSet<>();
    for (Map.Entry<String, CompletableFuture<Void>> ack : acks.entrySet()) {
      if (!ack.getValue().isDone()) {
        throw breach("the receiver closed, and the ack of %s is still open", ack.getKey());
      }
      (ack.getValue().isCompletedExceptionally() ? failed : settled).add(ack.getKey());
    }
    Set<String> toComeBack = new LinkedHashSet<>(held);
    toComeBack.removeAll(settled);
    if (failedMayStayAway) {
      toComeBack.removeAll(failed);
    }
    List<String> back = drain(second, toComeBack);
    back.addAll(besidesMarker(second, sender, "marker"));
    Set<String> lost = new LinkedHashSet<>(toComeBack);
    back.forEach(lost::remove);
    if (!lost.isEmpty()) {
      throw breach(
          "only %s were acked with success, and %s did not come back either",
          some(settled), some(lost));
    }
    settled.retainAll(back);
    if (!settled.isEmpty()) {
      throw breach("%s came back although their acks had completed", some(settled));
    }
  }

  // --- ALO-11 ---

  @Checks(AloRule.ALO_11)
  @DisplayName("ALO-11 acking twice harms no other message")
  void alo11_ackingTwiceHarmsNoOther() throws Exception {
    requireThatCloseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = new ArrayList<>(collect(first, few(10)).values());
    Delivery oldest = held.get(0); // the first of its part of the queue: settles in either mode
    requireSettled(id(oldest), first.ack(List.of(oldest)));
    requireSettled(id(oldest), first.ack(List.of(oldest)));
    requireSettled(id(oldest), first.ack(List.of(oldest, oldest)));
    first.close();
    Set<String> others = new LinkedHashSet<>(ids(held));
    others.remove(id(oldest));
    requireUnharmed(others, mq.receiver(queue), id(oldest) + " had been acked three times");
  }

  @Checks(AloRule.ALO_11)
  @DisplayName("ALO-11 a delivery of another receiver is refused, and nothing is acked")
  void alo11_anotherReceiversDeliveryIsRefused() throws Exception {
    requireThatCloseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    String ownQueue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(3)));
    mq.sender(ownQueue).send(messages("own", few(2)));
    Receiver first = mq.receiver(queue);
    Receiver other = mq.receiver(ownQueue);
    Map<String, Delivery> held = collect(first, few(3));
    Map<String, Delivery> own = collect(other, few(2));
    List<Delivery> mixed = new ArrayList<>(own.values());
    mixed.add(held.values().iterator().next());
    for (List<Delivery> wrong : List.of(mixed, List.copyOf(held.values()))) {
      try {
        CompletableFuture<Void> ack = other.ack(wrong);
        throw breach("the ack of %s, of which some are another receiver's, gave %s", wrong, ack);
      } catch (IllegalArgumentException e) {
        // as it should: definite, nothing was acked
      }
    }
    first.close();
    other.close();
    requireUnharmed(held.keySet(), mq.receiver(queue), "another receiver had tried to ack them");
    requireUnharmed(
        own.keySet(), mq.receiver(ownQueue), "they had been in an ack that was refused");
  }

  @Checks(AloRule.ALO_11)
  @DisplayName("ALO-11 an ack after the claim expired fails, and leaves the next claim alone")
  void alo11_aLateAckHarmsNoOther() throws Exception {
    requireThatCloseGivesBack();
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(3)));
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> held = collect(first, few(3));
    elapse(period.plusMillis(1));
    Receiver second = mq.receiver(queue);
    Map<String, Delivery> heldNow = collect(second, few(3));
    if (heldNow.size() < held.size()) {
      inconclusive("expired claims did not come back, which breaks ALO-08");
    }
    CompletableFuture<Void> late = first.ack(held.values());
    try {
      late.get(patience().toMillis(), TimeUnit.MILLISECONDS);
      throw breach("the ack of %s succeeded after they had gone to another", held.keySet());
    } catch (TimeoutException e) {
      throw breach("the late ack of %s did not complete in %s", held.keySet(), patience());
    } catch (ExecutionException e) {
      // as it should: the messages may be delivered again
    }
    second.close();
    requireUnharmed(
        heldNow.keySet(),
        mq.receiver(queue),
        "a late ack of an older claim, while the receiver that held them had not acked");
  }

  private void requireUnharmed(Set<String> unacked, Receiver receiver, String after)
      throws InterruptedException {
    Set<String> lost = missingFrom(receiver, unacked);
    if (!lost.isEmpty()) {
      throw breach("%s were never acked by their owner, and are gone after: %s", some(lost), after);
    }
  }
}
