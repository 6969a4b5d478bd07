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
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.mqproof.AckFailedException;
import org.mqproof.AckMode;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/** What an ack settles, and what it does not: ALO-09, ALO-10, ALO-11. One thread at a time. */
abstract class AckRules extends ReceiveRules {

  // --- ALO-09 ---

  @Checks(AloRule.ALO_09)
  @Order(Checks.LONG)
  @DisplayName("ALO-09 what was acked, 1 to thousands at once, stays away, also after reconnect")
  void alo09_ackedMessagesStayAway() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver first = mq.receiver(queue);
    List<Message> sent = new ArrayList<>();
    Set<String> acked = new LinkedHashSet<>();
    int inTime = Integer.MAX_VALUE;
    for (int size : new int[] {1, 10, 100, draw(257, 400), draw(1_001, 1_300), 3_000}) {
      int count = few(Math.min(size, Math.max(100, inTime)));
      int from = sent.size();
      List<Message> more =
          IntStream.range(from, from + count).mapToObj(i -> message("m" + i)).toList();
      sendAll(sender, more);
      sent.addAll(more);
      long start = System.nanoTime();
      acked.addAll(holdAndAck(first, count));
      inTime = inTime(count, start);
    }
    // The rest, where a receiver can hold only few: this is about the acked ones.
    Set<String> rest = new LinkedHashSet<>(idsOf(sent));
    rest.removeAll(acked);
    drain(first, rest);
    requireAway(acked, besidesMarker(first, sender, "marker0"), "by the receiver that acked");
    if (traits().claimPeriod().isPresent()) {
      pass(traits().claimPeriod().orElseThrow().plusMillis(1));
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

  /** How many can be held before their claims may end, if so many took since the start. */
  private int inTime(int count, long startNanos) {
    Duration most = shorter(patience(), traits().claimPeriod().orElse(patience())).dividedBy(2);
    long nanosEach = Math.max(1, (System.nanoTime() - startNanos) / count);
    return (int) Math.min(Integer.MAX_VALUE, most.toNanos() / nanosEach);
  }

  /** Acks in one call; which were acked with success. An ack may fail once claims have ended. */
  private Set<String> holdAndAck(Receiver receiver, int count) throws InterruptedException {
    long start = now();
    List<Delivery> held = hold(receiver, count);
    if (claimsMayBeAt(0.5, start)) {
      return ackIfPossible(receiver, held) ? new LinkedHashSet<>(ids(held)) : Set.of();
    }
    ackAndWait(receiver, held);
    return new LinkedHashSet<>(ids(held));
  }

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 one ack of more deliveries than 16 bits can count settles each")
  void alo09_anAckOfMoreThan16BitsSettlesEach() throws Exception {
    int count = drawAbove16Bits();
    if (few(count) < count) {
      inconclusive("a receiver holds at most %d", few(count));
    }
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver first = mq.receiver(queue);
    requireFast(
        count,
        few -> {
          sendAll(sender, few);
          Set<String> unused = holdAndAck(first, few.size());
        });
    try {
      sendAll(sender, messages("m", count));
    } catch (SendFailedException e) {
      inconclusive("the queue does not take %d messages: %s", count, e.getMessage());
    }
    long claimed = now();
    List<Delivery> held = hold(first, count);
    if (claimsMayBeAt(0.5, claimed)) {
      inconclusive("the claims may end before the ack");
    }
    ackAndWait(first, held);
    first.close();
    requireAway(
        new LinkedHashSet<>(ids(held)),
        besidesMarker(mq.receiver(queue), sender, "marker"),
        "after one ack of " + held.size());
  }

  /** When it is acked, as parts of the claim period. */
  private static final double[] LATE = {0.4, 0.6, 0.8};

  @Checks(AloRule.ALO_09)
  @Order(Checks.LONG)
  @DisplayName("ALO-09 an ack late in the claim period that completes holds")
  void alo09_anAckLateInTheClaimPeriodHolds() throws Exception {
    requireThatAcksSettle();
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(2 * LATE.length)));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> held = hold(first, few(2 * LATE.length));
    Set<String> acked = new LinkedHashSet<>();
    for (int i = 0; i < LATE.length; i++) {
      List<Delivery> part =
          held.subList(held.size() * i / LATE.length, held.size() * (i + 1) / LATE.length);
      passUntil(start, Duration.ofNanos((long) (period.toNanos() * LATE[i])));
      if (!part.isEmpty() && settles(first.ack(part))) {
        acked.addAll(ids(part));
      }
    }
    pass(period.plusMillis(1));
    requireAway(
        acked,
        besidesMarker(mq.receiver(queue), sender, "marker"),
        "acked at 40, 60 and 80 % of the claim period");
  }

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 an ack that completes while its receiver closes holds")
  void alo09_anAckThatCompletesOnCloseHolds() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    requireAckedByClose(first, few(10), first::close, "the receiver");
    requireAway(
        idsOfAll(few(10)),
        besidesMarker(mq.receiver(queue), sender, "marker"),
        "after the receiver closed at once");
  }

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 an ack that completes while its connection closes holds")
  void alo09_anAckThatCompletesWhileTheConnectionClosesHolds() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    int count = few(draw(10, 200));
    sender.send(messages("m", count));
    Mq closing = open();
    requireAckedByClose(closing.receiver(queue), count, () -> close(closing), "the connection");
    requireAway(
        idsOfAll(count),
        besidesMarker(mq.receiver(queue), sender, "marker"),
        "after the connection closed at once");
  }

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 the list of an ack is the caller's again once ack returned")
  void alo09_theListOfAnAckIsTheCallersAgain() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> list = new ArrayList<>(hold(first, few(10)));
    CompletableFuture<Void> ack = first.ack(list);
    list.clear();
    requireAcked(ack, idsOfAll(few(10)), start, "its list was emptied");
    first.close();
    requireAway(
        idsOfAll(few(10)),
        besidesMarker(mq.receiver(queue), sender, "marker"),
        "after the list of their ack was emptied");
  }

  private static Set<String> idsOfAll(int count) {
    return new LinkedHashSet<>(idsOf(messages("m", count)));
  }

  /** All that a receiver got is acked, so that closing can finish the ack in every mode. */
  private void requireAckedByClose(Receiver receiver, int count, Runnable close, String what)
      throws InterruptedException {
    long start = now();
    Map<String, Delivery> batch = collect(receiver, count);
    CompletableFuture<Void> ack = receiver.ack(batch.values());
    close.run();
    requireAcked(ack, batch.keySet(), start, what + " closed");
  }

  private void requireAcked(
      CompletableFuture<Void> ack, Set<String> ids, long start, String afterwards)
      throws InterruptedException {
    try {
      ack.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw breach("%s, and the ack of %s is still open", afterwards, some(ids));
    } catch (ExecutionException e) {
      if (claimsMayHaveEnded(start)) {
        inconclusive("the claims may have ended before the ack");
      }
      throw breach(
          e.getCause(),
          "all of %s were acked before %s, and the ack failed: %s",
          some(ids),
          afterwards,
          e.getCause());
    }
  }

  @Checks(AloRule.ALO_09)
  @DisplayName("ALO-09 equal bodies that were acked stay away, each of them")
  void alo09_ackedEqualBodiesStayAway() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    int count = few(draw(10, 60));
    sender.send(Collections.nCopies(count, message("same")));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> held = hold(first, count);
    if (claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the ack");
    }
    ackAndWait(first, held);
    int rest = count - held.size();
    drainBodies(first, rest);
    first.close();
    List<String> back = besidesMarker(mq.receiver(queue), sender, "marker");
    if (!back.isEmpty() && held.size() == count) {
      throw breach(
          "%d of %d messages with the body 'same' came again although all were acked",
          back.size(), count);
    }
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
  @DisplayName("ALO-10 acks of drawn messages, one by one in drawn order, settle no others")
  void alo10_anAckSettlesTheNamedAndNoOthers() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(20)));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> held = List.copyOf(collect(first, few(20)).values());
    Map<String, CompletableFuture<Void>> acks = new LinkedHashMap<>();
    for (Delivery delivery : drawSome(held)) {
      acks.put(id(delivery), first.ack(List.of(delivery)));
    }
    closeAndCompare(mq, queue, sender, start, first::close, ids(held), acks, false);
  }

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 an ack of a drawn part of a batch, as one call, settles this part alone")
  void alo10_anAckOfAPartSettlesThisPart() throws Exception {
    Mq mq = open();
    requirePartSettled(mq, mq, few(20), false);
  }

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 an ack of a part of hundreds settles this part, and Mq.close gives back")
  void alo10_anAckOfAPartOfHundredsSettlesThisPart() throws Exception {
    requirePartSettled(open(), open(), few(draw(900, 1_400)), true);
  }

  private void requirePartSettled(Mq mq, Mq ofReceiver, int count, boolean closeConnection)
      throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sendAll(sender, messages("m", count));
    Receiver first = ofReceiver.receiver(queue);
    long start = now();
    List<Delivery> held = hold(first, count);
    List<Delivery> part = drawSome(held);
    Map<String, CompletableFuture<Void>> acks = acksOf(part, first.ack(part));
    Runnable close = closeConnection ? () -> close(ofReceiver) : first::close;
    closeAndCompare(mq, queue, sender, start, close, ids(held), acks, wholePrefix());
  }

  /** One ack of several messages, for each of them. */
  private static Map<String, CompletableFuture<Void>> acksOf(
      List<Delivery> part, CompletableFuture<Void> ack) {
    Map<String, CompletableFuture<Void>> acks = new LinkedHashMap<>();
    part.forEach(delivery -> acks.put(id(delivery), ack));
    return acks;
  }

  /**
   * A whole-prefix ack of several parts of the queue may be done for some of them and not for
   * others, and then fails as one; only its messages that it failed for may come back.
   */
  private boolean wholePrefix() {
    return traits().ackMode() == AckMode.WHOLE_PREFIX;
  }

  /** One of them is acked. */
  private static final int RECEIVES = 3;

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 an ack of what one receive returned settles nothing that others returned")
  void alo10_anAckOfOneReceiveSettlesNoOther() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    for (int acked = 0; acked < RECEIVES; acked++) {
      String queue = newQueue(mq);
      Sender sender = mq.sender(queue);
      sender.send(messages("m", few(3 * RECEIVES)));
      Receiver first = mq.receiver(queue);
      long start = now();
      List<List<Delivery>> receives = new ArrayList<>();
      for (int i = 0; i < RECEIVES; i++) {
        receives.add(hold(first, few(3 * RECEIVES) / RECEIVES));
      }
      List<Delivery> part = receives.get(acked);
      if (part.isEmpty()) {
        inconclusive("a receiver holds what one receive returns, and no more");
      }
      Map<String, CompletableFuture<Void>> acks = acksOf(part, first.ack(part));
      List<String> held = receives.stream().flatMap(List::stream).map(KitFixture::id).toList();
      closeAndCompare(mq, queue, sender, start, first::close, held, acks, wholePrefix());
    }
  }

  @Checks(AloRule.ALO_10)
  @DisplayName("ALO-10 of messages with equal bodies an ack settles those that it names")
  void alo10_anAckTellsEqualBodiesApart() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    int count = few(20);
    sender.send(Collections.nCopies(count, message("same")));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> held = hold(first, count);
    // The oldest, so that a whole-prefix ack is done too.
    List<Delivery> part = held.subList(0, held.size() / 2);
    CompletableFuture<Void> ack = first.ack(part);
    first.close();
    boolean settled = !ack.isCompletedExceptionally();
    if (claimsMayHaveEnded(start) || held.size() < count || !settled) {
      inconclusive("the ack did not settle all it named: claims end, or a part of it waits");
    }
    int expected = count - part.size();
    Receiver second = mq.receiver(queue);
    int back = drainBodies(second, expected).size();
    back += besidesMarker(second, sender, "marker").size();
    if (back != expected) {
      throw breach(
          "of %d messages with the body 'same' %d were acked, and %d came back",
          count, part.size(), back);
    }
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
    long start = now();
    List<Delivery> held = new ArrayList<>(collect(first, few(20)).values());
    Collections.reverse(held);
    if (claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the acks");
    }
    Map<String, CompletableFuture<Void>> acks = new LinkedHashMap<>();
    held.forEach(delivery -> acks.put(id(delivery), first.ack(List.of(delivery))));
    boolean all = true;
    for (CompletableFuture<Void> ack : acks.values()) {
      all &= settles(ack);
    }
    if (!all && claimsMayHaveEnded(start)) {
      inconclusive("the claims may have ended before the acks");
    }
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

  /**
   * Closes what received. Messages whose ack succeeded must stay away, all others come back.
   *
   * @param start before any claim was made
   * @param failedMayStayAway whether a failed ack may stand for some messages that it did settle
   */
  private void closeAndCompare(
      Mq mq,
      String queue,
      Sender sender,
      long start,
      Runnable close,
      List<String> held,
      Map<String, CompletableFuture<Void>> acks,
      boolean failedMayStayAway)
      throws Exception {
    if (claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the acks");
    }
    if (traits().ackMode() == AckMode.SELECTIVE) {
      for (Map.Entry<String, CompletableFuture<Void>> ack : acks.entrySet()) {
        requireSettled(ack.getKey(), ack.getValue());
      }
    }
    close.run();
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
    Receiver second = mq.receiver(queue);
    List<String> back = drain(second, toComeBack);
    back.addAll(besidesMarker(second, sender, "marker"));
    Set<String> lost = new LinkedHashSet<>(toComeBack);
    lost.removeAll(Set.copyOf(back));
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
  @DisplayName("ALO-11 an ack whose caller cancels it touches no other that is under way")
  void alo11_aCancelledAckTouchesNoOther() throws Exception {
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(20)));
    Receiver receiver = mq.receiver(queue);
    long start = now();
    List<Delivery> held = hold(receiver, few(20));
    if (held.size() < 2 || claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the acks, or there is one at a time");
    }
    List<CompletableFuture<Void>> acks = new ArrayList<>();
    for (Delivery delivery : held) {
      acks.add(receiver.ack(List.of(delivery)));
    }
    for (int i = 0; i < acks.size(); i += 2) {
      boolean unused = acks.get(i).cancel(true);
    }
    for (int i = 1; i < acks.size(); i += 2) {
      boolean settled = settles(acks.get(i));
      if (!settled && !claimsMayHaveEnded(start)) {
        throw breach(
            "the acks of every other message were cancelled by their caller, and that of %s %s",
            id(held.get(i)), acks.get(i).isDone() ? "failed with them" : "stays open");
      }
    }
  }

  @Checks(AloRule.ALO_11)
  @DisplayName("ALO-11 acking twice harms no other message")
  void alo11_ackingTwiceHarmsNoOther() throws Exception {
    requireThatCloseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(10)));
    Receiver first = mq.receiver(queue);
    long start = now();
    List<Delivery> held = new ArrayList<>(collect(first, few(10)).values());
    Delivery oldest = held.get(0); // the first of its part of the queue: settles in either mode
    if (claimsMayBeAt(0.3, start)) {
      inconclusive("the claims may end before the acks");
    }
    requireSettled(id(oldest), first.ack(List.of(oldest)));
    requireSettled(id(oldest), first.ack(List.of(oldest)));
    requireSettled(id(oldest), first.ack(List.of(oldest, oldest)));
    first.close();
    Set<String> others = new LinkedHashSet<>(ids(held));
    others.remove(id(oldest));
    requireUnharmed(others, mq.receiver(queue), id(oldest) + " had been acked three times");
  }

  @Checks(AloRule.ALO_11)
  @DisplayName("ALO-11 an ack that names as many as are held, some of them twice, settles no other")
  void alo11_namingSomeTwiceHarmsNoOther() throws Exception {
    requireThatCloseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    for (boolean before : new boolean[] {false, true}) {
      List<Message> sent = messages(before ? "acked before" : "named twice", few(4));
      mq.sender(queue).send(sent);
      Receiver first = mq.receiver(queue);
      long start = now();
      List<Delivery> held = new ArrayList<>(collect(first, sent.size()).values());
      if (held.size() < 2 || claimsMayBeAt(0.3, start)) {
        inconclusive("a receiver holds one at a time, or claims may end before the acks");
      }
      Delivery oldest = held.get(0);
      if (before) {
        requireSettled(id(oldest), first.ack(List.of(oldest)));
        held.remove(oldest);
      }
      List<Delivery> named = new ArrayList<>(Collections.nCopies(held.size() - 1, oldest));
      named.add(held.get(0));
      requireSettled(id(oldest), first.ack(named));
      first.close();
      Set<String> others = new LinkedHashSet<>(ids(held));
      named.forEach(delivery -> others.remove(id(delivery)));
      Receiver second = mq.receiver(queue);
      requireUnharmed(
          others, second, "an ack that named %s %d times".formatted(id(oldest), held.size()));
      second.close();
      try (Receiver last = mq.receiver(queue)) {
        drain(last, others);
      }
    }
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
    Receiver ofTheSameQueue = mq.receiver(queue);
    try {
      CompletableFuture<Void> ack = ofTheSameQueue.ack(held.values());
      throw breach("the ack of %s by another receiver of the same queue gave %s", held, ack);
    } catch (IllegalArgumentException e) {
      // likewise
    }
    ofTheSameQueue.close();
    first.close();
    Receiver next = mq.receiver(queue);
    try {
      CompletableFuture<Void> ack = next.ack(held.values());
      throw breach("the ack of %s, which a receiver got that has closed, gave %s", held, ack);
    } catch (IllegalArgumentException e) {
      // likewise
    }
    next.close();
    other.close();
    requireUnharmed(held.keySet(), mq.receiver(queue), "another receiver had tried to ack them");
    requireUnharmed(
        own.keySet(), mq.receiver(ownQueue), "they had been in an ack that was refused");
  }

  @Checks(AloRule.ALO_11)
  @Order(Checks.LONG)
  @DisplayName("ALO-11 an ack after the claim expired fails, and leaves the next claim alone")
  void alo11_aLateAckHarmsNoOther() throws Exception {
    requireThatCloseGivesBack();
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(6)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = List.copyOf(collect(first, few(6)).values());
    pass(period.plusMillis(1));
    long start = now();
    Receiver second = mq.receiver(queue);
    Map<String, Delivery> heldNow = collect(second, few(6));
    if (heldNow.size() < held.size()) {
      inconclusive("expired claims did not come back, which breaks ALO-08");
    }
    // One, two, all of them, and one again.
    for (int count : new int[] {1, Math.min(2, held.size()), held.size(), 1}) {
      List<Delivery> some = held.subList(held.size() - count, held.size());
      CompletableFuture<Void> late = first.ack(some);
      try {
        late.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        if (claimsMayHaveEnded(start)) {
          inconclusive("the next claims may have ended before the late ack");
        }
        throw breach("the ack of %s succeeded after they had gone to another", ids(some));
      } catch (TimeoutException e) {
        throw breach("the late ack of %s did not complete in %s", ids(some), patience());
      } catch (ExecutionException e) {
        // as it should: the messages may be delivered again
      }
    }
    second.close();
    requireUnharmed(
        heldNow.keySet(),
        mq.receiver(queue),
        "a late ack of an older claim, while the receiver that held them had not acked");
  }

  @Checks(AloRule.ALO_11)
  @Order(Checks.LONG)
  @DisplayName("ALO-11 a late ack leaves alone what the same receiver got again")
  void alo11_aLateAckLeavesTheNextClaimOfTheSameReceiver() throws Exception {
    requireThatCloseGivesBack();
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(4)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = List.copyOf(collect(first, Math.max(1, few(4) / 2)).values());
    pass(period.plusMillis(1));
    long start = now();
    Set<String> missing = missingFrom(first, ids(held));
    if (held.isEmpty() || !missing.isEmpty()) {
      inconclusive("expired claims did not come back to their receiver, which breaks ALO-08");
    }
    boolean settled = settles(first.ack(held));
    if (claimsMayHaveEnded(start)) {
      inconclusive("the next claims may have ended before the late ack");
    }
    if (settled) {
      throw breach("an ack of %s succeeded, whose claims had ended and begun again", ids(held));
    }
    first.close();
    requireUnharmed(
        new LinkedHashSet<>(ids(held)),
        mq.receiver(queue),
        "a late ack of an older claim, by the receiver that held them again");
  }

  @Checks(AloRule.ALO_11)
  @Order(Checks.LONG)
  @DisplayName("ALO-11 an ack after the claim expired, of what nobody else got, tells the truth")
  void alo11_aLateAckOfWhatNobodyGotTellsTheTruth() throws Exception {
    requireThatAcksSettle();
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(6)));
    Receiver first = mq.receiver(queue);
    List<Delivery> held = hold(first, few(6));
    pass(period.plusMillis(1));
    Set<String> settled = new LinkedHashSet<>();
    Set<String> rejected = new LinkedHashSet<>();
    int to = 0;
    for (int count = 1; to < held.size(); count++) { // one, two, and the rest
      int from = to;
      to = Math.min(held.size(), from + count);
      List<Delivery> some = held.subList(from, to);
      try {
        first.ack(some).get(patience().toMillis(), TimeUnit.MILLISECONDS);
        settled.addAll(ids(some));
      } catch (TimeoutException e) {
        throw breach("the late ack of %s did not complete in %s", ids(some), patience());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof AckFailedException told && told.outcomes().size() == count) {
          for (int i = 0; i < count; i++) {
            switch (told.outcomes().get(i)) {
              case CONFIRMED -> settled.add(id(some.get(i)));
              case REJECTED -> rejected.add(id(some.get(i)));
              case UNKNOWN -> {}
            }
          }
        }
      }
    }
    first.close();
    Receiver second = mq.receiver(queue);
    List<String> seen = drain(second, rejected);
    seen.addAll(besidesMarker(second, sender, "marker"));
    rejected.removeAll(Set.copyOf(seen));
    if (!rejected.isEmpty()) {
      throw breach("late acks of %s were REJECTED, and they are gone", rejected);
    }
    settled.retainAll(Set.copyOf(seen));
    if (!settled.isEmpty()) {
      throw breach("late acks of %s were done, and they came again", settled);
    }
  }

  private void requireUnharmed(Set<String> unacked, Receiver receiver, String after)
      throws InterruptedException {
    Set<String> lost = missingFrom(receiver, unacked);
    if (!lost.isEmpty()) {
      throw breach("%s were never acked by their owner, and are gone after: %s", some(lost), after);
    }
  }
}
