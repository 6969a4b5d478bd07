package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.mqproof.AckFailedException;
import org.mqproof.AckMode;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.Sender;

/**
 * What ends a claim early or makes it last longer, and what acks say of claims that ended: ALO-25,
 * and the parts of ALO-05, ALO-08 and ALO-11 that are about it. One thread at a time.
 */
abstract class ReleaseRules extends AckRules {

  /** Where claims end: at most this part of a period passes until something is seen at once. */
  private static final double SOON_ENOUGH = 0.7;

  /** As many are extended by one call as no system takes in one request. */
  private static final int MANY_EXTENDED = 1_100;

  /** Of more than so many, all but so many are extended. */
  private static final int FEW = 60;

  /** Of so many released messages a receiver that asks gets some, whoever else is served. */
  private static final int MANY = 8;

  // --- ALO-25 ---

  @Checks(AloRule.ALO_25)
  @Order(Checks.LONG)
  @DisplayName("ALO-25 released messages are available at once, and no others are")
  void alo25_releasedMessagesAreAvailableAtOnce() throws Exception {
    Mq mq = open();
    Mq another = open();
    for (int i = 1; i <= TRIES; i++) {
      if (releasedAtOnce(mq, another, i == TRIES)) {
        return;
      }
    }
    inconclusive("claims of %s were over each time before receivers had looked", claimPeriod());
  }

  /** Whether it could be judged before claims might have ended. */
  private boolean releasedAtOnce(Mq mq, Mq another, boolean last) throws Exception {
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    int count = few(draw(25, 60));
    sender.send(messages("m", count));
    Receiver first = mq.receiver(queue);
    requireRelease(first);
    long start = now();
    List<Delivery> held = hold(first, count);
    if (held.isEmpty()) {
      inconclusive("nothing was delivered, which breaks ALO-01");
    }
    List<Delivery> released = List.copyOf(drawSome(held));
    List<Delivery> kept = new ArrayList<>(held);
    kept.removeAll(new HashSet<>(released));
    Receiver second = receiverOfReleased(first, another, queue);
    Taken taken = new Taken(first, second, ids(kept), ids(released), start);
    if (second != first) {
      taken.receive(second); // attaches
    }
    requireReleased(first, released, start);
    boolean allInTime = taken.all();
    if (!allInTime
        && (taken.waitedLong() || (last && taken.waitedEnough() && taken.areOvertaken(sender)))) {
      throw breach(
          "%s were released and did not come within %s to %s",
          some(taken.missing),
          Duration.ofNanos(System.nanoTime() - taken.releasedAt),
          traits().release() == Release.ANY_RECEIVER ? "any receiver" : "the same receiver");
    }
    if (allInTime && last && taken.bySecond.isEmpty() && released.size() >= MANY) {
      throw breach(
          "%s were released, and not one came to another receiver that asked first, %d times",
          some(ids(released)), TRIES);
    }
    if (!allInTime || taken.bySecond.isEmpty()) {
      first.close();
      second.close();
      return allInTime && released.size() < MANY;
    }
    long seen = System.nanoTime();
    do {
      taken.receive(second);
    } while (!hasPassed(window(), seen) && !claimsMayHaveEnded(start));
    // All first: a whole-prefix ack of one may wait for the others.
    List<Delivery> ofFirst = new ArrayList<>(kept);
    ofFirst.addAll(taken.byFirst.values());
    CompletableFuture<Void> ofSecond = second.ack(taken.bySecond.values());
    CompletableFuture<Void> ofKept = first.ack(ofFirst);
    boolean secondSettled = settles(ofSecond);
    boolean settled = settles(ofKept) && secondSettled;
    first.close();
    second.close();
    if (!settled && claimsMayHaveEnded(start)) {
      return false;
    }
    if (!settled) {
      throw breach("after a release of %s acks of what was held then failed", some(ids(released)));
    }
    requireThatAcksSettle();
    List<String> back = besidesMarker(mq.receiver(queue), sender, "marker");
    back.retainAll(ids(held));
    if (!back.isEmpty()) {
      throw breach("%s came again after a release, although all was acked", some(back));
    }
    return true;
  }

  /**
   * Takes what was released. Where any receiver may get it, another one asks first and more often;
   * the one that released asks too, as a system may hand to it ahead of its calls.
   */
  private final class Taken {
    final Map<String, Delivery> byFirst = new LinkedHashMap<>();
    final Map<String, Delivery> bySecond = new LinkedHashMap<>();
    final Set<String> missing;
    final long releasedAt = System.nanoTime();
    private final Set<String> besides = new HashSet<>();
    private final Receiver first;
    private final Receiver second;
    private final List<String> kept;
    private final long start;
    private final Waiting waiting = new Waiting(patience());

    Taken(Receiver first, Receiver second, List<String> kept, List<String> released, long start) {
      this.first = first;
      this.second = second;
      this.kept = kept;
      this.start = start;
      missing = new LinkedHashSet<>(released);
    }

    /** Whether all came before claims might have ended. */
    boolean all() throws InterruptedException {
      Duration alone = oneWait().multipliedBy(2);
      for (int i = 0; !missing.isEmpty() && !waiting.isOver(); i++) {
        boolean turnOfFirst = i % 3 == 2 && hasPassed(alone, releasedAt);
        waiting.progress(receive(turnOfFirst ? first : second));
        if (claimsMayBeAt(SOON_ENOUGH, start)) {
          return false;
        }
      }
      return missing.isEmpty();
    }

    boolean waitedLong() {
      return waiting.isOver();
    }

    boolean waitedEnough() {
      return lookedLongEnough(releasedAt);
    }

    /**
     * Whether a message that is sent now comes, and what was released does not: then nobody waits
     * for a receiver that a busy machine has not attached yet.
     */
    boolean areOvertaken(Sender sender) throws InterruptedException {
      sender.send(messages("fresh", 1));
      while (!missing.isEmpty() && !claimsMayHaveEnded(start)) {
        receive(second);
        if (besides.contains("fresh0")) {
          return !missing.isEmpty();
        }
      }
      return false;
    }

    /** Receives once. What is kept must not come, and what was released not twice. */
    boolean receive(Receiver receiver) throws InterruptedException {
      int before = missing.size();
      List<Delivery> others = new ArrayList<>();
      for (Delivery delivery :
          KitFixture.receive(receiver, Math.max(10, missing.size()), oneWait())) {
        String id = id(delivery);
        if (claimsMayHaveEnded(start)) {
          return missing.size() < before;
        }
        if (byFirst.containsKey(id) || bySecond.containsKey(id)) {
          throw breach("%s was released once, and came twice", id);
        }
        if (kept.contains(id)) {
          throw breach("%s was held and not released, and came when others were released", id);
        }
        if (missing.remove(id)) {
          (receiver == second ? bySecond : byFirst).put(id, delivery);
        } else {
          others.add(delivery); // the first receiver had not got all
          besides.add(id);
        }
      }
      if (!others.isEmpty()) {
        CompletableFuture<Void> unused = receiver.ack(others);
      }
      return missing.size() < before;
    }
  }

  /** Whether there was time to see what comes at once. */
  private boolean lookedLongEnough(long sinceNanos) {
    return hasPassed(
        shorter(patience(), traits().claimPeriod().orElse(patience())).dividedBy(4), sinceNanos);
  }

  /** Who may receive what this one releases. */
  private Receiver receiverOfReleased(Receiver first, Mq another, String queue) {
    return traits().release() == Release.ANY_RECEIVER ? another.receiver(queue) : first;
  }

  @Checks(AloRule.ALO_25)
  @Order(Checks.LONG)
  @DisplayName("ALO-25 a receiver that waits gets what another releases")
  void alo25_aReceiverThatWaitsGetsWhatIsReleased() throws Exception {
    if (traits().release() != Release.ANY_RECEIVER) {
      inconclusive("no release to other receivers is declared");
    }
    Mq mq = open();
    Mq another = open();
    boolean seen = false;
    for (int i = 1; i <= TRIES; i++) { // the other may not wait yet
      String queue = newQueue(mq);
      mq.sender(queue).send(messages("m", 1));
      Receiver first = mq.receiver(queue);
      requireRelease(first);
      long start = now();
      List<Delivery> held = hold(first, 1);
      if (held.isEmpty()) {
        inconclusive("[m0] was not delivered, which breaks ALO-01");
      }
      Receiver second = another.receiver(queue);
      CountDownLatch called = new CountDownLatch(1);
      BoundedCall<List<Delivery>> call =
          BoundedCall.start(
              "wait for a release",
              () -> {
                called.countDown();
                return receive(second, 1, patience().multipliedBy(2));
              });
      requireInTime(called);
      awaitBlocked(call);
      if (claimsMayBeAt(0.4, start)) {
        continue;
      }
      requireReleased(first, held, start);
      long releasedAt = System.nanoTime();
      boolean byFirst = false;
      while (!byFirst
          && !hasPassed(patience(), releasedAt)
          && !claimsMayBeAt(SOON_ENOUGH, start)
          && !call.endsWithinAnother(oneWait().dividedBy(5))) {
        // A system may hand it to the one that released it, ahead of its calls.
        byFirst = !receive(first, 1, Duration.ZERO).isEmpty();
      }
      if (byFirst) {
        call.interrupt();
        seen = true;
        continue;
      }
      boolean tooLate = claimsMayBeAt(SOON_ENOUGH, start);
      if (call.hasEnded() && !tooLate) {
        if (!ids(call.value()).equals(List.of("m0"))) {
          throw breach("a receiver that waited for the released m0 got %s", ids(call.value()));
        }
        seen = true;
      }
      if (!call.hasEnded() && (!tooLate || (i == TRIES && lookedLongEnough(releasedAt)))) {
        String stack = call.stack();
        call.interrupt();
        throw breach("m0 was released, and a receiver still waits for it%s", stack);
      }
    }
    if (!seen) {
      inconclusive("claims of %s were over each time before the release", claimPeriod());
    }
  }

  @Checks(AloRule.ALO_25)
  @DisplayName("ALO-25 releases twice, of acked ones, and acks after a release touch no message")
  void alo25_aReleaseIsExact() throws Exception {
    requireThatCloseGivesBack();
    requireThatAcksSettle();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(12)));
    Receiver first = mq.receiver(queue);
    requireRelease(first);
    long start = now();
    List<Delivery> held = hold(first, few(12));
    if (held.isEmpty() || claimsMayBeAt(0.3, start)) {
      inconclusive("the claims may end before the release");
    }
    // The oldest, so that a whole-prefix ack is done too.
    List<Delivery> acked = held.size() > 1 ? held.subList(0, 1) : List.of();
    List<Delivery> rest = held.subList(acked.size(), held.size());
    List<Delivery> released = List.copyOf(drawSome(rest));
    if (!acked.isEmpty()) {
      ackAndWait(first, acked);
    }
    List<Delivery> named = new ArrayList<>(released);
    named.addAll(acked);
    named.add(released.get(0));
    requireReleased(first, named, start);
    requireReleased(first, named, start);
    if (canExtend(first) && !settles(first.extend(named)) && !claimsMayHaveEnded(start)) {
      throw breach("an extend of %s, all released or acked before, failed", some(ids(named)));
    }
    List<Delivery> last = released.subList(released.size() - 1, released.size());
    requireFailure(first.ack(last), "an ack of %s alone, which had been released,", last);
    List<Delivery> early = released.subList(0, released.size() / 2);
    List<Delivery> late = released.subList(released.size() / 2, released.size());
    if (!early.isEmpty()) {
      requireFailure(first.ack(early), "an ack of %s, which had been released,", early);
    }
    Receiver second = receiverOfReleased(first, open(), queue);
    List<Delivery> kept = new ArrayList<>(held);
    kept.removeAll(new HashSet<>(released));
    Taken taken = new Taken(first, second, ids(kept), ids(released), start);
    boolean allInTime = taken.all();
    if (claimsMayBeAt(SOON_ENOUGH, start)) {
      inconclusive("the claims may have ended before the released messages were looked for");
    }
    if (!allInTime) {
      throw breach(
          "%s were released, given to an ack, and did not come again", some(taken.missing));
    }
    requireFailure(first.ack(late), "an ack of %s, which others hold by now,", late);
    requireReleased(first, named, start); // once more, now that others hold them
    taken.receive(second);
    taken.receive(first);
    if (claimsMayHaveEnded(start)) {
      inconclusive("the claims may have ended before the last ack");
    }
    second.close();
    first.close();
    Receiver third = mq.receiver(queue);
    List<String> seen = drain(third, ids(rest));
    seen.addAll(besidesMarker(third, sender, "marker"));
    Set<String> lost = new LinkedHashSet<>(ids(rest));
    lost.removeAll(Set.copyOf(seen));
    if (!lost.isEmpty()) {
      throw breach("%s were never acked while their claims were open, and are gone", some(lost));
    }
    for (String id : ids(held)) {
      int expected = ids(acked).contains(id) ? 0 : 1;
      if (Collections.frequency(seen, id) > expected) {
        throw breach(
            "%s came %d times after the receivers that held it had closed, expected was %d",
            id, Collections.frequency(seen, id), expected);
      }
    }
  }

  @Checks(AloRule.ALO_25)
  @DisplayName("ALO-25 a release is done, whatever its caller does with the future")
  void alo25_aFutureOfAReleaseIsTheCallersOwn() throws Exception {
    Mq mq = open();
    Mq another = open();
    for (int tries = 1; tries <= TRIES; tries++) {
      String queue = newQueue(mq);
      mq.sender(queue).send(messages("m", few(12)));
      Receiver first = mq.receiver(queue);
      requireRelease(first);
      long start = now();
      List<Delivery> held = hold(first, few(12));
      if (held.isEmpty() || claimsMayBeAt(0.3, start)) {
        inconclusive("the claims may end before the release");
      }
      for (int i = 0; i < held.size(); i++) {
        endByItsCaller(i, first.release(held.subList(i, i + 1)));
      }
      Receiver second = receiverOfReleased(first, another, queue);
      Taken taken = new Taken(first, second, List.of(), ids(held), start);
      if (taken.all()) {
        return;
      }
      if (taken.waitedLong() || (tries == TRIES && taken.waitedEnough())) {
        throw breach(
            "%s were released, their callers cancelled or completed the futures, and they did not"
                + " come within %s",
            some(taken.missing), Duration.ofNanos(System.nanoTime() - taken.releasedAt));
      }
    }
    inconclusive("claims of %s were over each time before receivers had looked", claimPeriod());
  }

  @Checks(AloRule.ALO_25)
  @DisplayName("ALO-25 a message that is released time and again comes each time")
  void alo25_whatIsReleasedTimeAndAgainComes() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    requireRelease(receiver);
    long claimed = now();
    List<Delivery> held = hold(receiver, 1);
    if (held.isEmpty()) {
      inconclusive("[m0] was not delivered, which breaks ALO-01");
    }
    long start = System.nanoTime();
    // Clients and brokers give up after 6, 10 or 20 deliveries, or wait longer each time.
    int most = Math.min(25, mostDeliveries() - 1);
    for (int i = 1; i <= most && (i < 12 || !hasPassed(enough().multipliedBy(3), start)); i++) {
      requireReleased(receiver, held, claimed);
      long released = System.nanoTime();
      claimed = now();
      held = hold(receiver, 1);
      if (held.isEmpty()) {
        throw breach(
            "m0 was released %d times, and did not come again in %s",
            i, Duration.ofNanos(System.nanoTime() - released));
      }
    }
  }

  @Checks(AloRule.ALO_25)
  @DisplayName("ALO-25 a receiver that has released hundreds goes on to receive")
  void alo25_whoReleasedHundredsGoesOn() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(50)));
    Receiver receiver = mq.receiver(queue);
    requireRelease(receiver);
    long start = System.nanoTime();
    int released = 0;
    for (int i = 1; i < mostDeliveries() && released < 1_000 && !hasPassed(enough(), start); i++) {
      long claimed = now();
      List<Delivery> held = hold(receiver, few(50));
      if (held.isEmpty() && released == 0) {
        inconclusive("nothing was delivered, which breaks ALO-01");
      }
      if (held.isEmpty()) {
        throw breach(
            "a receiver that had released %d deliveries got nothing in %s", released, patience());
      }
      requireReleased(receiver, held, claimed);
      released += held.size();
    }
  }

  @Checks(AloRule.ALO_25)
  @Order(Checks.LONG)
  @DisplayName("ALO-25 thousands that one call releases are all available at once")
  void alo25_thousandsAreReleasedByOneCall() throws Exception {
    Mq mq = open();
    Mq another = open();
    requireThousandsBack(
        "one call released them",
        (queue, count) -> {
          Receiver first = mq.receiver(queue);
          requireRelease(first);
          long start = now();
          List<Delivery> held = holdWithin(THOUSANDS_WITHIN, first, count);
          requireReleased(first, held, start);
          Receiver second = receiverOfReleased(first, another, queue);
          // A system may hand it to the one that released it, ahead of its calls.
          return new Given(ids(held), second == first ? List.of(first) : List.of(second, first));
        });
  }

  @Checks(AloRule.ALO_25)
  @Order(Checks.LONG)
  @DisplayName("ALO-25 a release after the claim ended leaves the next claim alone")
  void alo25_aLateReleaseHarmsNoOther() throws Exception {
    requireThatAcksSettle();
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(4)));
    Receiver first = mq.receiver(queue);
    requireRelease(first);
    List<Delivery> held = hold(first, few(4));
    pass(period.plusMillis(1));
    long start = now();
    Receiver second = open().receiver(queue);
    List<Delivery> heldNow = hold(second, held.size());
    if (heldNow.size() < held.size()) {
      inconclusive("expired claims did not come back, which breaks ALO-08");
    }
    boolean unused = settles(first.release(held)); // left out
    Receiver third = open().receiver(queue);
    long released = System.nanoTime();
    while (!hasPassed(window(), released) && !claimsMayHaveEnded(start)) {
      Set<String> again = new LinkedHashSet<>(ids(receive(third, 10, oneWait())));
      again.retainAll(ids(held));
      if (!again.isEmpty() && !claimsMayHaveEnded(start)) {
        throw breach("%s came as their last owner released them, which another holds", again);
      }
    }
    if (!settles(second.ack(heldNow))) {
      if (claimsMayHaveEnded(start)) {
        inconclusive("the claims may have ended before the ack");
      }
      throw breach("a late release by another took away the claims of %s", ids(heldNow));
    }
    Set<String> back = new LinkedHashSet<>(besidesMarker(third, sender, "marker"));
    back.retainAll(ids(held));
    if (!back.isEmpty()) {
      throw breach("%s came again after a late release, although all were acked", back);
    }
  }

  @Checks(AloRule.ALO_25)
  @DisplayName("ALO-25 a delivery of another receiver is refused, and nothing is released")
  void alo25_anotherReceiversDeliveryIsNotReleased() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    String ownQueue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(3)));
    mq.sender(ownQueue).send(messages("own", few(2)));
    Receiver first = mq.receiver(queue);
    requireRelease(first);
    long start = now();
    List<Delivery> held = hold(first, few(3));
    Receiver other = mq.receiver(ownQueue);
    List<Delivery> own = hold(other, few(2));
    List<Delivery> mixed = new ArrayList<>(own);
    mixed.addAll(held);
    requireOwner("release", other::release, mixed);
    if (!settles(other.ack(own)) && !claimsMayHaveEnded(start)) {
      throw breach("%s were in a release that was refused, and could not be acked", ids(own));
    }
    Receiver second = open().receiver(queue);
    requireOwner("release", second::release, held);
    long seen = System.nanoTime();
    do {
      List<String> got = ids(receive(second, 10, oneWait()));
      if (claimsMayHaveEnded(start)) {
        inconclusive("the claims may have ended before the other receiver looked");
      }
      got = new ArrayList<>(got);
      got.retainAll(ids(held));
      if (!got.isEmpty()) {
        throw breach("%s came although only a receiver released them that had not got them", got);
      }
    } while (!hasPassed(window(), seen));
  }

  @Checks(AloRule.ALO_25)
  @DisplayName("ALO-25 where no release is declared, the call throws UnsupportedOperationException")
  void alo25_aReleaseThatIsNotDeclaredIsRefused() throws Exception {
    if (traits().release() != Release.NONE) {
      inconclusive("a release is declared");
    }
    requireUnsupported("release", Receiver::release);
  }

  private interface Giving {
    CompletableFuture<Void> to(Receiver receiver, Collection<? extends Delivery> deliveries);
  }

  private void requireUnsupported(String what, Giving call) throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    List<Delivery> held = hold(receiver, 1);
    try {
      CompletableFuture<Void> given = call.to(receiver, held);
      throw breach("%s is not declared, and returned %s", what, given);
    } catch (UnsupportedOperationException e) {
      // as it should
    }
  }

  private interface Own {
    CompletableFuture<Void> give(Collection<? extends Delivery> deliveries);
  }

  private void requireOwner(String what, Own call, List<Delivery> ofAnother) {
    try {
      CompletableFuture<Void> given = call.give(ofAnother);
      throw breach("a %s of %s by another receiver gave %s", what, ids(ofAnother), given);
    } catch (IllegalArgumentException e) {
      // as it should: definite
    }
  }

  /** Ends the test where a release is not declared, or a wrapper does not pass it on. */
  void requireRelease(Receiver receiver) {
    if (traits().release() == Release.NONE) {
      inconclusive("no release is declared");
    }
    if (!canRelease(receiver)) {
      inconclusive(
          "%s has the contract's default of release, although one is declared: it is of a contract"
              + " before 1.0",
          receiver.getClass().getName());
    }
  }

  private void requireExtend(Receiver receiver) {
    if (!traits().extendable()) {
      inconclusive("no extend is declared");
    }
    if (!canExtend(receiver)) {
      inconclusive(
          "%s has the contract's default of extend, although it is declared: it is of a contract"
              + " before 1.0",
          receiver.getClass().getName());
    }
  }

  /**
   * Releases what was claimed after this moment of {@link #now()}. A release whose claims may have
   * ended before it did may fail: the messages then come back anyway.
   */
  void requireReleased(Receiver receiver, Collection<Delivery> deliveries, long since)
      throws InterruptedException {
    CompletableFuture<Void> released = receiver.release(deliveries);
    try {
      released.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (!claimsMayHaveEnded(since)) {
        throw breach(
            e.getCause(), "the release of %s failed: %s", some(ids(deliveries)), e.getCause());
      }
    } catch (TimeoutException e) {
      throw breach("the release of %s did not complete in %s", some(ids(deliveries)), patience());
    }
  }

  private void requireFailure(CompletableFuture<Void> future, String what, List<Delivery> of)
      throws InterruptedException {
    String text = what.formatted(some(ids(of)));
    try {
      future.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      return;
    } catch (TimeoutException e) {
      throw breach("%s did not complete in %s", text, patience());
    }
    throw breach("%s succeeded", text);
  }

  // --- ALO-05, ALO-08: claims that are extended ---

  @Checks(AloRule.ALO_05)
  @Order(Checks.LONG)
  @DisplayName("ALO-05 an extended claim hides after its first period too")
  void alo05_anExtendedClaimHidesLonger() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    Mq another = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq);
      Sender sender = mq.sender(queue);
      int count = few(i == 0 ? MANY_EXTENDED : 30);
      sendAll(sender, messages("m", count));
      try (Receiver first = mq.receiver(queue)) {
        Extended extended = extendSome(first, count, period, 2, true);
        extended = extended == null ? null : extendAgain(first, extended, period);
        if (extended == null) {
          continue;
        }
        passUntil(extended.claimedAt(), period.multipliedBy(17).dividedBy(10));
        try (Receiver second = another.receiver(queue)) {
          if (staysHidden(extended, second, sender)) {
            return;
          }
        }
      }
    }
    inconclusive("a claim period of %s was over each time before a receiver had looked", period);
  }

  /**
   * What was extended before, within the periods that began then, along with one that was acked,
   * which is left out; null if that came too late.
   */
  private @Nullable Extended extendAgain(Receiver first, Extended before, Duration period)
      throws InterruptedException {
    List<Delivery> named = new ArrayList<>(before.extended());
    if (!before.others().isEmpty() && settles(first.ack(before.others().subList(0, 1)))) {
      named.add(draw(0, named.size()), before.others().get(0));
    }
    // When what the first did not extend has surely ended, and mostly less than half a period after
    // the first: a claim that is young is extended too.
    passUntil(before.heldAt(), period.plusMillis(1));
    long again = now();
    CompletableFuture<Void> done = first.extend(named);
    boolean succeeded = settles(done);
    if (claimsMayHaveEnded(before.extendedAt())) {
      return null;
    }
    if (!succeeded) {
      throw breach(
          "a second extend of %s failed, or took %s, although the first had succeeded: %s",
          some(ids(before.extended())), patience(), done);
    }
    return new Extended(
        before.extended(), before.others(), before.claimedAt(), before.heldAt(), again, now());
  }

  /**
   * Claims of which some were extended.
   *
   * @param claimedAt before any was claimed
   * @param heldAt when all were
   * @param extendedAt before some were extended
   * @param doneAt when that was done
   */
  private record Extended(
      List<Delivery> extended,
      List<Delivery> others,
      long claimedAt,
      long heldAt,
      long extendedAt,
      long doneAt) {}

  /**
   * Claims all there is, and extends a part at 60 % of the period; null if that came too late.
   *
   * @param times how often in a row
   * @param endsFutures whether each is extended by another call before, whose future its caller
   *     ends: then those that were dropped are seen by a later extend or receive
   */
  private @Nullable Extended extendSome(
      Receiver first, int count, Duration period, int times, boolean endsFutures) throws Exception {
    requireExtend(first);
    long start = now();
    List<Delivery> held = holdWithin(0.3, first, count);
    long heldAt = now();
    if (held.isEmpty()) {
      inconclusive("nothing was delivered, which breaks ALO-01");
    }
    List<Delivery> extended = new ArrayList<>(drawSome(held));
    List<Delivery> others = new ArrayList<>(held);
    others.removeAll(new HashSet<>(extended));
    if (held.size() > FEW) { // of many, all but a few, so that one call names so many
      extended.addAll(others.subList(FEW, others.size()));
      others.subList(FEW, others.size()).clear();
    }
    passUntil(start, period.multipliedBy(6).dividedBy(10));
    List<Delivery> byEnded = List.of();
    if (endsFutures && period.compareTo(Duration.ofSeconds(1)) >= 0 && extended.size() > 1) {
      byEnded = List.copyOf(extended.subList(0, Math.min(4, extended.size() / 2)));
      for (int i = 0; i < byEnded.size(); i++) {
        endByItsCaller(i, first.extend(byEnded.subList(i, i + 1)));
      }
    }
    List<Delivery> awaited = extended.subList(byEnded.size(), extended.size());
    long again = now();
    for (int i = 0; i < times && (i == 0 || !claimsMayBeAt(0.75, start)); i++) {
      again = now();
      CompletableFuture<Void> done = first.extend(awaited);
      boolean succeeded = settles(done);
      if (claimsMayHaveEnded(start)) {
        return null;
      }
      if (!succeeded) {
        throw breach(
            "an extend of %s failed, or took %s, although their claims were open: %s",
            some(ids(awaited)), patience(), done);
      }
    }
    return new Extended(List.copyOf(extended), others, start, heldAt, again, now());
  }

  /** Whether it was shown before an extended claim might have ended. */
  private boolean staysHidden(Extended extended, Receiver second, Sender sender) throws Exception {
    sender.send(List.of(message("marker")));
    long marked = 0;
    Waiting waiting = new Waiting(patience());
    while ((marked == 0 || !hasPassed(window(), marked)) && !waiting.isOver()) {
      List<Delivery> got = receive(second, 500, oneWait());
      if (claimsHaveNearlyEnded(extended.extendedAt())) {
        return marked != 0;
      }
      List<String> ids = new ArrayList<>(ids(got));
      waiting.progress(!ids.isEmpty());
      if (ids.contains("marker")) {
        marked = System.nanoTime();
      }
      ids.retainAll(ids(extended.extended()));
      if (!ids.isEmpty()) {
        throw breach(
            "%s were claimed %s ago, extended, the last time %s ago, and came again: the claim"
                + " period is %s",
            some(ids),
            Duration.ofNanos(now() - extended.claimedAt()),
            Duration.ofNanos(now() - extended.extendedAt()),
            traits().claimPeriod().orElseThrow());
      }
      ackIfPossible(second, got);
    }
    return marked != 0;
  }

  @Checks(AloRule.ALO_08)
  @Order(Checks.LONG)
  @DisplayName("ALO-08 an extended claim ends a period later, and the others at their time")
  void alo08_anExtendedClaimEndsAPeriodLater() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    Mq another = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq);
      Receiver first = mq.receiver(queue);
      Sender sender = mq.sender(queue);
      sender.send(messages("acked", few(2)));
      List<Delivery> toAck = hold(first, few(2));
      boolean before = !toAck.isEmpty() && settles(first.ack(toAck.subList(0, 1)));
      boolean after = canExtend(first) && settles(first.extend(toAck)); // of which one is acked
      after &= toAck.size() > 1 && settles(first.ack(toAck.subList(1, toAck.size())));
      Set<String> acked = new LinkedHashSet<>();
      acked.addAll(before ? ids(toAck.subList(0, 1)) : List.of());
      acked.addAll(after ? ids(toAck.subList(1, toAck.size())) : List.of());
      // What comes at once breaks ALO-09, and not by the end of a claim.
      acked.removeAll(besidesMarker(first, sender, "early"));
      sender.send(messages("m", few(6)));
      // So often that the end would be beyond the patience if each added a period.
      int times = (int) Math.min(30, patience().toMillis() / Math.max(1, period.toMillis()) + 5);
      Extended extended = extendSome(first, few(6), period, times, false);
      if (extended != null) {
        passUntil(extended.claimedAt(), period.plusMillis(1));
        Receiver second = another.receiver(queue);
        List<Delivery> back = hold(second, extended.others().size());
        Set<String> missing = new LinkedHashSet<>(ids(extended.others()));
        missing.removeAll(Set.copyOf(ids(back)));
        requireNoneMissing(
            missing, "the claim period of " + period + ", in which others had been extended");
        ackIfPossible(second, back); // a receiver may get nothing further until all are acked
        second.close();
        passUntil(extended.doneAt(), period.plusMillis(1));
        Receiver third = mq.receiver(queue);
        requireBack(
            new LinkedHashSet<>(ids(extended.extended())),
            third,
            "the claim period of " + period + " that began as they were extended");
        third.close(); // it may hold no more
        requireAckedStayAway(mq.receiver(queue), sender, acked);
        return;
      }
    }
    inconclusive("a claim period of %s was over each time before an extend was done", period);
  }

  /** What was acked before an extend that named it, or after one. */
  private void requireAckedStayAway(Receiver receiver, Sender sender, Set<String> acked)
      throws Exception {
    Set<String> back = new LinkedHashSet<>(besidesMarker(receiver, sender, "marker"));
    back.retainAll(acked);
    if (!back.isEmpty()) {
      throw breach(
          "%s were acked, one before it was extended, and came a claim period later", some(back));
    }
  }

  @Checks(AloRule.ALO_05)
  @DisplayName("ALO-05 where claims never end an extend completes, and all can be acked")
  void alo05_anExtendCompletesWhereClaimsNeverEnd() throws Exception {
    if (traits().claimPeriod().isPresent()) {
      inconclusive("claims end after %s", traits().claimPeriod().orElseThrow());
    }
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(4)));
    Receiver first = mq.receiver(queue);
    requireExtend(first);
    requireThatAcksSettle();
    List<Delivery> held = hold(first, few(4));
    CompletableFuture<Void> done = first.extend(drawSome(held));
    if (!settles(done)) {
      throw breach("an extend of claims that never end failed or took %s: %s", patience(), done);
    }
    ackAndWait(first, held);
    List<String> back = besidesMarker(first, sender, "marker");
    back.retainAll(ids(held));
    if (!back.isEmpty()) {
      throw breach("%s came again after they had been extended and acked", some(back));
    }
  }

  // --- ALO-11: claims that have ended, or are another's ---

  @Checks(AloRule.ALO_11)
  @DisplayName(
      "ALO-11 an extend refuses another receiver's delivery, and leaves out what was acked")
  void alo11_anExtendIsOfItsOwn() throws Exception {
    if (!traits().extendable()) {
      requireUnsupported("extend", Receiver::extend);
      return;
    }
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(3)));
    Receiver first = mq.receiver(queue);
    requireExtend(first);
    long start = now();
    List<Delivery> held = hold(first, few(3));
    Receiver second = open().receiver(queue);
    requireOwner("extend", second::extend, held);
    if (held.isEmpty() || claimsMayBeAt(0.5, start)) {
      inconclusive("the claims may end before the ack");
    }
    ackAndWait(first, held.subList(0, 1));
    if (canRelease(first) && held.size() > 2) {
      boolean unused = settles(first.release(held.subList(1, 2)));
    }
    CompletableFuture<Void> extended = first.extend(held);
    if (!settles(extended)) {
      if (claimsMayHaveEnded(start)) {
        inconclusive("the claims may have ended before the extend");
      }
      throw breach(
          "an extend of %s, of which some had been acked or released, failed or took %s: %s",
          ids(held), patience(), extended);
    }
  }

  @Checks(AloRule.ALO_11)
  @Order(Checks.LONG)
  @DisplayName("ALO-11 an extend after the claim ended fails, and leaves the next claim alone")
  void alo11_aLateExtendHarmsNoOther() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(3)));
    Receiver first = mq.receiver(queue);
    requireExtend(first);
    Map<String, Delivery> held = collect(first, few(3));
    pass(period.plusMillis(1));
    long start = now();
    Receiver second = open().receiver(queue);
    Map<String, Delivery> heldNow = collect(second, held.size());
    if (heldNow.size() < held.size()) {
      inconclusive("expired claims did not come back, which breaks ALO-08");
    }
    CompletableFuture<Void> late = first.extend(held.values());
    boolean succeeded = settles(late);
    if (claimsMayHaveEnded(start)) {
      inconclusive("the next claims may have ended before the late extend");
    }
    if (succeeded) {
      throw breach("the extend of %s succeeded after they had gone to another", held.keySet());
    }
    if (!late.isDone()) {
      throw breach("the late extend of %s did not complete in %s", held.keySet(), patience());
    }
    if (!settles(second.ack(heldNow.values())) && !claimsMayHaveEnded(start)) {
      throw breach("a late extend by another took away the claims of %s", heldNow.keySet());
    }
  }

  @Checks(AloRule.ALO_11)
  @Order(Checks.LONG)
  @DisplayName("ALO-11 an extend after the claim ended, of what nobody else got, tells the truth")
  void alo11_aLateExtendOfWhatNobodyGotTellsTheTruth() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", few(3)));
    Receiver first = mq.receiver(queue);
    requireExtend(first);
    List<Delivery> held = hold(first, few(3));
    pass(period.plusMillis(1));
    long start = now();
    if (!settles(first.extend(held))) {
      return; // it says so
    }
    Receiver second = open().receiver(queue);
    long extended = System.nanoTime();
    while (!hasPassed(window(), extended)) {
      Set<String> others = new LinkedHashSet<>(ids(receive(second, 10, oneWait())));
      others.retainAll(ids(held));
      if (claimsMayHaveEnded(start)) {
        inconclusive("the claims that a late extend began may have ended");
      }
      if (!others.isEmpty()) {
        throw breach(
            "a late extend of %s was done, and another receiver got %s", ids(held), others);
      }
    }
  }

  @Checks(AloRule.ALO_11)
  @Order(Checks.LONG)
  @DisplayName(
      "ALO-11 an ack of open claims and of some that ended tells the outcome of each, twice")
  void alo11_aPartlyLateAckTellsEachOutcome() throws Exception {
    requireThatAcksSettle();
    Duration period = claimPeriod();
    Mq mq = open();
    for (int i = 0; i < TRIES; i++) {
      String queue = newQueue(mq);
      Sender sender = mq.sender(queue);
      Receiver first = mq.receiver(queue);
      requireThatAcksTellOutcomes(first);
      int count = few(draw(2, 6));
      sender.send(messages("late", count));
      long start = now();
      List<Delivery> ended = hold(first, count);
      if (ended.size() < count) {
        inconclusive("%d of %d messages were not delivered", count - ended.size(), count);
      }
      List<Delivery> open = new ArrayList<>();
      passUntil(start, period.multipliedBy(8).dividedBy(10));
      long opened = now();
      int more = Math.min(draw(2, 6), traits().mostInFlight() - count);
      if (more > 0) {
        sender.send(messages("open", more));
        open.addAll(hold(first, more));
        open.removeIf(delivery -> !id(delivery).startsWith("open"));
      }
      passUntil(start, period.plusMillis(1));
      Receiver second = open().receiver(queue);
      Map<String, Delivery> taken = collect(second, count);
      if (!taken.keySet().containsAll(ids(ended))) {
        inconclusive("expired claims did not come back, which breaks ALO-08");
      }
      List<Delivery> mixed = mixed(ended, open);
      if (claimsMayBeAt(0.6, opened)) {
        continue;
      }
      AckFailedException failure = requireAckFailure(first.ack(mixed), mixed);
      AckFailedException again = requireAckFailure(first.ack(mixed), mixed);
      if (claimsMayHaveEnded(opened)) {
        continue;
      }
      requireOutcomes(mixed, ids(ended), failure);
      requireOutcomes(mixed, ids(ended), again);
      requireTrueOutcomes(mq, queue, sender, first, second, ids(ended), ids(open));
      return;
    }
    inconclusive("claims of %s were over each time before they were acked", period);
  }

  /** In random order, and one that differs from its reverse where there are some of both. */
  private List<Delivery> mixed(List<Delivery> ended, List<Delivery> open) {
    List<Delivery> mixed = new ArrayList<>(ended);
    mixed.addAll(open);
    for (List<Delivery> some : List.of(ended, open)) {
      if (!some.isEmpty()) {
        mixed.add(some.get(random.nextInt(some.size()))); // is named twice, and has two outcomes
      }
    }
    do {
      Collections.shuffle(mixed, random);
    } while (!ended.isEmpty()
        && !open.isEmpty()
        && ended.contains(mixed.get(0)) == ended.contains(mixed.get(mixed.size() - 1)));
    return mixed;
  }

  private static void requireThatAcksTellOutcomes(Receiver receiver) {
    if (isOfAnEarlierContract(receiver)) {
      inconclusive("the receiver knows neither release nor extend: it is of a contract before 1.0");
    }
  }

  private void requireTrueOutcomes(
      Mq mq,
      String queue,
      Sender sender,
      Receiver first,
      Receiver second,
      List<String> rejected,
      List<String> confirmed)
      throws Exception {
    requireThatCloseGivesBack();
    first.close();
    second.close();
    Receiver third = mq.receiver(queue);
    List<String> seen = drain(third, rejected);
    seen.addAll(besidesMarker(third, sender, "marker"));
    Set<String> lost = new LinkedHashSet<>(rejected);
    lost.removeAll(Set.copyOf(seen));
    if (!lost.isEmpty()) {
      throw breach("the acks of %s were REJECTED, and they are gone", some(lost));
    }
    seen.retainAll(confirmed);
    if (!seen.isEmpty()) {
      throw breach("the acks of %s were CONFIRMED, and they came again", some(seen));
    }
  }

  @Checks(AloRule.ALO_11)
  @DisplayName("ALO-11 an ack of open claims and of some that were released tells each outcome")
  void alo11_anAckAfterAReleaseTellsEachOutcome() throws Exception {
    requireThatAcksSettle();
    requireThatReleaseGivesBack();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", few(8)));
    Receiver first = mq.receiver(queue);
    requireRelease(first);
    long start = now();
    List<Delivery> held = hold(first, few(8));
    if (held.isEmpty() || claimsMayBeAt(0.3, start)) {
      inconclusive("the claims may end before the release");
    }
    List<Delivery> released = List.copyOf(drawSome(held));
    requireReleased(first, released, start);
    List<Delivery> kept = new ArrayList<>(held);
    kept.removeAll(new HashSet<>(released));
    List<Delivery> mixed = mixed(released, kept);
    CompletableFuture<Void> ack = first.ack(mixed);
    if (traits().ackMode() == AckMode.WHOLE_PREFIX) {
      // What is behind a released message waits until that is acked as it comes again.
      Receiver second = receiverOfReleased(first, mq, queue);
      Map<String, Delivery> again = collect(second, released.size());
      boolean unused = settles(second.ack(again.values()));
    }
    AckFailedException failure = requireAckFailure(ack, mixed);
    if (claimsMayHaveEnded(start)) {
      inconclusive("the claims may have ended before the ack");
    }
    requireOutcomes(mixed, ids(released), failure);
    if (!((AckFailedException) requireSerialized(failure)).outcomes().equals(failure.outcomes())) {
      throw breach(failure, "outcomes changed as the exception was serialized");
    }
  }

  /** For checks that rest on a release. */
  void requireThatReleaseGivesBack() throws Exception {
    if (traits().release() == Release.NONE) {
      inconclusive("no release is declared");
    }
    if (!holds(AloRule.ALO_25, this::releaseGivesBack)) {
      inconclusive("this check rests on ALO-25, which does not hold");
    }
  }

  /** One of two, and not the other. */
  private boolean releaseGivesBack() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("probe", few(2)));
    long start = now();
    Receiver first = mq.receiver(queue);
    List<Delivery> held = List.copyOf(collect(first, few(2)).values());
    if (held.isEmpty() || !canRelease(first)) {
      return false;
    }
    boolean released = settles(first.release(held.subList(0, 1)));
    Receiver second = receiverOfReleased(first, mq, queue);
    List<String> ids = ids(held);
    Taken taken = new Taken(first, second, ids.subList(1, ids.size()), ids.subList(0, 1), start);
    try {
      boolean came = taken.all();
      taken.receive(second);
      return released && came;
    } catch (Breach e) {
      return false; // ALO-25's own tests tell the details
    }
  }

  private AckFailedException requireAckFailure(CompletableFuture<Void> ack, List<Delivery> of)
      throws InterruptedException {
    try {
      ack.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw breach("an ack of claims that had ended did not complete in %s", patience());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AckFailedException failure) {
        return failure;
      }
      throw breach(e.getCause(), "an ack failed with no AckFailedException but %s", e.getCause());
    }
    throw breach("an ack of %s succeeded, although some claims had ended", some(ids(of)));
  }

  private void requireOutcomes(
      List<Delivery> given, Collection<String> ended, AckFailedException failure) {
    List<Outcome> outcomes = failure.outcomes();
    if (outcomes.size() != given.size()) {
      throw breach(failure, "%d outcomes for %d deliveries", outcomes.size(), given.size());
    }
    for (int i = 0; i < given.size(); i++) {
      String id = id(given.get(i));
      boolean settled = outcomes.get(i) == Outcome.CONFIRMED;
      if (settled == ended.contains(id)) {
        throw breach(
            failure,
            "of an ack of %s the outcomes were %s; that of %s, whose claim %s CONFIRMED",
            some(ids(given)),
            some(outcomes),
            id,
            settled ? "had ended, must not be" : "was open, must be");
      }
    }
  }
}
