package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.mqproof.AckFailedException;
import org.mqproof.AckMode;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Ordering;
import org.mqproof.Outcome;
import org.mqproof.Traits;

/**
 * What an at-least-once queue may do, as far as its clients can tell: says of each delivery, each
 * outcome and each ack whether a correct queue could have given it, whatever the order in which
 * concurrent calls took effect. Bodies that are equal are counted, not told apart.
 *
 * <p>Thread-safe.
 */
final class QueueModel {

  /** A claim is called open only in the first part of its period: it may have begun earlier. */
  private static final double SURELY_CLAIMED = 0.6;

  /** A body and its headers, by what tells them from others. */
  private record Body(int length, long checksum, int hash, Map<String, String> headers) {}

  /** All messages with one body. */
  private static final class Copies {
    final String name;
    int attempted;
    int confirmed;
    int rejected;
    int delivered;

    /** How many deliveries were given to an ack: each may have settled one message. */
    int given;

    final List<Handed> handed = new ArrayList<>(1);

    /** Of the only message with this body: which sender, and its place among that one's. */
    int sender;

    long place;

    Copies(String name) {
      this.name = name;
    }

    int missing() {
      return Math.max(0, confirmed - given);
    }
  }

  /** Messages of one call of send. Guarded by the model. */
  static final class Sent {
    private final List<Copies> copies = new ArrayList<>();
    private final List<Boolean> tooLarge = new ArrayList<>();
    private boolean settled;
  }

  /** A receiver, from its opening to its end. Guarded by the model. */
  static final class Holder {
    final String name;
    private final Map<Integer, Long> highestBySender = new HashMap<>();
    private int held;
    private boolean ended;

    Holder(String name) {
      this.name = name;
    }
  }

  /** One delivery. Guarded by the model, but for what is final. */
  static final class Handed {
    final Delivery delivery;
    final Holder holder;
    private final Copies copies;
    private final long calledAtNanos;
    private final long recordedAtNanos;
    private long claimedAtNanos;
    private boolean given;
    private boolean wasGiven;
    private boolean surelyAcked;

    /** An ack of it was called settled, or certainly not settled, though another may be yet. */
    private boolean settled;

    private boolean rejected;

    /** A release was asked for, and then done while the claim was open for certain. */
    private boolean released;

    private boolean surelyReleased;

    Handed(
        Delivery delivery, Holder holder, Copies copies, long calledAtNanos, long recordedAtNanos) {
      this.delivery = delivery;
      this.holder = holder;
      this.copies = copies;
      this.calledAtNanos = calledAtNanos;
      claimedAtNanos = calledAtNanos;
      this.recordedAtNanos = recordedAtNanos;
    }
  }

  /** What an ack was given, and what may come of it. Guarded by the model. */
  static final class GivenAck {
    private final List<Handed> all;

    /** Of which of them the claims were open for certain. */
    private final List<Boolean> open;

    private final boolean mayFail;
    private final boolean mustFail;

    private GivenAck(List<Handed> all, List<Boolean> open, boolean mayFail, boolean mustFail) {
      this.all = all;
      this.open = open;
      this.mayFail = mayFail;
      this.mustFail = mustFail;
    }
  }

  private final Traits traits;

  /** How long a claim lasts for certain. */
  private final long surelyClaimedNanos;

  private final LongSupplier clock;
  private final boolean redeliversAtRandom;
  private final Map<Body, Copies> bodies = new HashMap<>();
  private final Map<Integer, Long> places = new HashMap<>();

  /** Whether something happened that may give messages to a receiver out of order. */
  private boolean disturbed;

  private boolean faultStruck;
  private long firstDeliveryNanos = Long.MAX_VALUE;
  private int messages;

  /** Confirmed, and not given to an ack since. */
  private int missing;

  /** Held by receivers that are open. */
  private int held;

  /** How often, at most, any one message can have been given back so far. */
  private int givenBack;

  /**
   * A queue without messages.
   *
   * @param traits what the system declares
   * @param clock nanoseconds, which move as claims age
   * @param redeliversAtRandom whether the system is known to deliver twice without a reason, which
   *     other rules tell
   */
  QueueModel(Traits traits, LongSupplier clock, boolean redeliversAtRandom) {
    this.traits = traits;
    this.clock = clock;
    this.redeliversAtRandom = redeliversAtRandom;
    surelyClaimedNanos =
        traits
            .claimPeriod()
            .map(period -> (long) (nanos(period) * SURELY_CLAIMED))
            .orElse(Long.MAX_VALUE);
  }

  private static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofDays(365)) > 0
        ? Duration.ofDays(365).toNanos()
        : duration.toNanos();
  }

  /** What a queue did that a correct one does not. */
  static final class NotAllowed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final AloRule rule;

    NotAllowed(AloRule rule, String saw) {
      super("(%s) %s".formatted(rule.id(), saw));
      this.rule = rule;
    }

    AloRule rule() {
      return rule;
    }
  }

  synchronized int messages() {
    return messages;
  }

  /** Notes messages that are about to be sent by one call. */
  synchronized Sent attempt(int sender, List<Message> batch) {
    Sent sent = new Sent();
    for (Message message : batch) {
      long place = places.merge(sender, 1L, Long::sum);
      Copies copies =
          bodies.computeIfAbsent(
              bodyOf(message),
              key ->
                  new Copies(
                      "s%d's message %d of %d bytes".formatted(sender, place, key.length())));
      copies.attempted++;
      copies.sender = sender;
      copies.place = place;
      messages++;
      sent.copies.add(copies);
      sent.tooLarge.add(isTooLarge(message));
    }
    return sent;
  }

  private boolean isTooLarge(Message message) {
    return message.sizeBytes() > traits.largestBodyBytes()
        || message.headers().size() > traits.mostHeaders()
        || message.headersBytes() > traits.largestHeadersBytes();
  }

  /**
   * Notes that the system confirmed a whole batch.
   *
   * @throws NotAllowed if it cannot have stored all
   */
  synchronized void confirmed(Sent sent) {
    settle(sent);
    if (sent.tooLarge.contains(true)) {
      throw new NotAllowed(
          AloRule.ALO_03, "a batch with a body above the declared largest was confirmed");
    }
    sent.copies.forEach(this::confirm);
  }

  /**
   * Notes the outcomes of a batch.
   *
   * @param excused whether something happened that explains a failure
   * @throws NotAllowed if they cannot be true
   */
  synchronized void failed(Sent sent, List<Outcome> outcomes, boolean excused, Throwable failure) {
    settle(sent);
    if (outcomes.size() != sent.copies.size()) {
      throw new NotAllowed(
          AloRule.ALO_03,
          "a send of %d messages failed with %d outcomes"
              .formatted(sent.copies.size(), outcomes.size()));
    }
    for (int i = 0; i < outcomes.size(); i++) {
      Copies copies = sent.copies.get(i);
      boolean tooLarge = sent.tooLarge.get(i);
      switch (outcomes.get(i)) {
        case CONFIRMED -> {
          confirm(copies);
          if (tooLarge) {
            throw new NotAllowed(
                AloRule.ALO_03, copies.name + " is too large and was called CONFIRMED");
          }
        }
        case REJECTED -> {
          copies.rejected++;
          if (!tooLarge && !excused) {
            throw new NotAllowed(
                AloRule.ALO_03, copies.name + " was REJECTED without a reason: " + failure);
          }
          requireNotDelivered(copies);
        }
        case UNKNOWN -> {
          if (!excused) {
            throw new NotAllowed(
                tooLarge ? AloRule.ALO_04 : AloRule.ALO_03,
                copies.name + " was called UNKNOWN although nothing failed: " + failure);
          }
        }
      }
    }
  }

  private void confirm(Copies copies) {
    missing -= copies.missing();
    copies.confirmed++;
    missing += copies.missing();
  }

  private void give(Copies copies) {
    missing -= copies.missing();
    copies.given++;
    missing += copies.missing();
  }

  private static void settle(Sent sent) {
    if (sent.settled) {
      throw new IllegalStateException("outcomes of one batch twice");
    }
    sent.settled = true;
  }

  private static void requireNotDelivered(Copies copies) {
    if (copies.rejected == copies.attempted && copies.delivered > 0) {
      throw new NotAllowed(AloRule.ALO_03, copies.name + " was REJECTED, and delivered");
    }
  }

  /**
   * Notes what one call of receive returned.
   *
   * @param calledAtNanos when it was called, by the clock
   * @throws NotAllowed if a correct queue cannot have delivered this
   */
  synchronized List<Handed> delivered(
      Holder holder, List<? extends Delivery> batch, long calledAtNanos) {
    long now = clock.getAsLong();
    firstDeliveryNanos = Math.min(firstDeliveryNanos, calledAtNanos);
    List<Handed> handed = new ArrayList<>(batch.size());
    for (Delivery delivery : batch) {
      Message message = delivery.message();
      Copies copies = bodies.get(bodyOf(message));
      if (copies == null) {
        throw new NotAllowed(
            AloRule.ALO_04,
            ("%s got a body of %d bytes with %d headers that was never sent to this queue, or not in"
                    + " its present life")
                .formatted(holder.name, message.body().length, message.headers().size()));
      }
      copies.delivered++;
      requireNotDelivered(copies);
      Handed one = new Handed(delivery, holder, copies, calledAtNanos, now);
      // A receiver that was closed meanwhile may tell late of what went to others since.
      if (isSurelyOpen(one, now)) {
        requireHidden(copies, holder, now);
        requireOrder(copies, holder, now);
      }
      copies.handed.add(one);
      handed.add(one);
      if (!holder.ended) {
        holder.held++;
        held++;
        requireAtMostInFlight(holder, now);
      }
    }
    return handed;
  }

  private void requireHidden(Copies copies, Holder holder, long now) {
    if (redeliversAtRandom || faultStruck) {
      return;
    }
    int open = 0;
    int acked = 0;
    Holder other = holder;
    for (Handed one : copies.handed) {
      if (one.surelyAcked) {
        acked++;
      } else if (isSurelyOpen(one, now)) {
        open++;
        other = one.holder;
      }
    }
    if (open + acked + 1 > copies.attempted - copies.rejected) {
      throw open > 0
          ? new NotAllowed(
              AloRule.ALO_05,
              "%s got %s while %s held it unacked".formatted(holder.name, copies.name, other.name))
          : new NotAllowed(
              AloRule.ALO_09,
              "%s got %s, whose ack had completed".formatted(holder.name, copies.name));
    }
  }

  private void requireAtMostInFlight(Holder holder, long now) {
    if (holder.held > traits.mostInFlight()
        && !redeliversAtRandom
        && now - firstDeliveryNanos < surelyClaimedNanos) {
      throw new NotAllowed(
          AloRule.ALO_12,
          "%s holds %d deliveries; declared are at most %d"
              .formatted(holder.name, holder.held, traits.mostInFlight()));
    }
  }

  private boolean isSurelyOpen(Handed one, long now) {
    return !one.wasGiven && !one.released && !one.holder.ended && isSurelyInTime(one, now);
  }

  private boolean isSurelyInTime(Handed one, long now) {
    return now - one.claimedAtNanos < surelyClaimedNanos;
  }

  private void requireOrder(Copies copies, Holder holder, long now) {
    if (traits.ordering() != Ordering.PER_SENDER || copies.attempted != 1) {
      return;
    }
    if (now - firstDeliveryNanos >= surelyClaimedNanos) {
      disturbed = true;
    }
    long highest = holder.highestBySender.merge(copies.sender, copies.place, Math::max);
    if (!disturbed && copies.delivered == 1 && highest > copies.place) {
      throw new NotAllowed(
          AloRule.ALO_17,
          "%s got %s after message %d of that sender, although its order is declared"
              .formatted(holder.name, copies.name, highest));
    }
  }

  /** From now on this receiver's claims may have ended. */
  synchronized void ends(Holder holder) {
    if (!holder.ended) {
      holder.ended = true;
      held -= holder.held;
    }
    disturb();
  }

  /** From now on messages may come in another order, as some may have been given back. */
  synchronized void disturb() {
    disturbed = true;
    givenBack++;
  }

  /** Whether a system may drop messages by now that drops those delivered so often. */
  synchronized boolean mayDrop(int mostDeliveries) {
    return givenBack >= mostDeliveries - 1;
  }

  /** From now on claims may have ended, and what was stored may have been stored twice. */
  synchronized void faultStrikes() {
    faultStruck = true;
    disturbed = true;
  }

  /** Notes that deliveries are about to be released: from now on their messages may come again. */
  synchronized void releases(Collection<Handed> some) {
    for (Handed one : some) {
      if (!one.wasGiven && !one.released && !one.holder.ended) {
        one.holder.held--;
        held--;
      }
      one.released = true;
    }
    disturb();
  }

  /** Notes that they were released. */
  synchronized void released(Collection<Handed> some) {
    long now = clock.getAsLong();
    for (Handed one : some) {
      one.surelyReleased |= !one.wasGiven && !one.holder.ended && isSurelyInTime(one, now);
    }
  }

  /**
   * Notes that a release has failed.
   *
   * @param excused whether something happened that explains it
   * @throws NotAllowed if it had to succeed
   */
  synchronized void releaseFailed(Collection<Handed> some, boolean excused, Throwable failure) {
    long now = clock.getAsLong();
    if (!excused
        && !faultStruck
        && some.stream().allMatch(one -> !one.holder.ended && isSurelyInTime(one, now))) {
      throw new NotAllowed(
          AloRule.ALO_25,
          "a release of %d open deliveries failed: %s".formatted(some.size(), failure));
    }
  }

  /**
   * Notes that an extend has completed.
   *
   * @param calledAtNanos when it was called, by the clock
   * @throws NotAllowed if it had to fail
   */
  synchronized void extended(Collection<Handed> some, long calledAtNanos) {
    long now = clock.getAsLong();
    for (Handed one : some) {
      if (one.wasGiven || one.released || one.holder.ended) {
        continue;
      }
      if (isTakenOver(one, now)) {
        throw new NotAllowed(
            AloRule.ALO_11,
            "an extend of %s succeeded although another receiver holds it by now"
                .formatted(one.copies.name));
      }
      one.claimedAtNanos = Math.max(one.claimedAtNanos, calledAtNanos);
    }
  }

  /**
   * Notes that an extend has failed.
   *
   * @param excused whether something happened that explains it
   * @throws NotAllowed if it had to succeed
   */
  synchronized void extendFailed(Collection<Handed> some, boolean excused, Throwable failure) {
    long now = clock.getAsLong();
    if (!excused
        && !faultStruck
        && !redeliversAtRandom
        && some.stream().allMatch(one -> isSurelyOpen(one, now))) {
      throw new NotAllowed(
          AloRule.ALO_05,
          "an extend of %d open deliveries failed: %s".formatted(some.size(), failure));
    }
  }

  /** Whether another receiver got it later, and holds it for certain. */
  private boolean isTakenOver(Handed one, long now) {
    return one.copies.attempted == 1
        && !faultStruck
        && !redeliversAtRandom
        && one.copies.handed.stream()
            .anyMatch(
                later -> later.calledAtNanos > one.recordedAtNanos && isSurelyOpen(later, now));
  }

  /** Notes that deliveries are about to be given to one ack. */
  synchronized GivenAck give(Collection<Handed> some) {
    long now = clock.getAsLong();
    boolean mayFail = faultStruck;
    boolean mustFail = false;
    List<Boolean> open = new ArrayList<>();
    for (Handed one : some) {
      open.add(isSurelyOpen(one, now));
      boolean stale = false;
      if (one.copies.attempted == 1) {
        for (Handed later : one.copies.handed) {
          // Asked for after the other had arrived: that claim is the later one for certain.
          if (later.calledAtNanos > one.recordedAtNanos && !one.surelyAcked) {
            stale = true;
            mustFail |= isSurelyOpen(later, now) && !faultStruck && !redeliversAtRandom;
          }
        }
      }
      if (one.released && !one.surelyAcked) { // its claim has ended: it settles nothing
        stale = true;
        mustFail |= one.surelyReleased && !faultStruck;
      }
      mayFail |= stale || !isSurelyInTime(one, now) || one.holder.ended;
      mayFail |= one.wasGiven && !one.surelyAcked;
      if (!one.wasGiven && !one.released && !one.holder.ended) {
        one.holder.held--;
        held--;
      }
      one.wasGiven = true;
      if (!stale && !one.given) {
        one.given = true;
        give(one.copies);
      }
    }
    return new GivenAck(List.copyOf(some), open, mayFail, mustFail);
  }

  /**
   * Notes that an ack has completed.
   *
   * @throws NotAllowed if it had to fail
   */
  synchronized void acked(GivenAck ack) {
    if (ack.mustFail) {
      throw new NotAllowed(
          AloRule.ALO_11,
          "an ack of %s succeeded although it was released, or another receiver holds it by now"
              .formatted(ack.all.get(0).copies.name));
    }
    long now = clock.getAsLong();
    for (Handed one : ack.all) {
      settled(one, now);
    }
  }

  private void settled(Handed one, long now) {
    if (one.rejected && !one.given) { // by an ack that was given at the same time
      one.given = true;
      give(one.copies);
    }
    one.settled = true;
    one.surelyAcked |= one.given && isSurelyInTime(one, now);
  }

  /**
   * Notes that an ack has failed.
   *
   * @param excused whether something happened that explains it
   * @throws NotAllowed if it had to succeed
   */
  synchronized void ackFailed(GivenAck ack, boolean excused, Throwable failure) {
    long now = clock.getAsLong();
    boolean mayFail = excused || ack.mayFail || faultStruck || redeliversAtRandom;
    for (Handed one : ack.all) {
      mayFail |= !isSurelyInTime(one, now);
      mayFail |= traits.ackMode() == AckMode.WHOLE_PREFIX && one.holder.ended;
    }
    if (!mayFail) {
      throw new NotAllowed(
          AloRule.ALO_09,
          "the ack of %d deliveries to %s failed although their claims were open: %s"
              .formatted(ack.all.size(), ack.all.get(0).holder.name, failure));
    }
  }

  /**
   * Notes the outcomes of an ack that has failed.
   *
   * @param excused whether something happened that explains it
   * @throws NotAllowed if they cannot be true
   */
  synchronized void ackFailed(GivenAck ack, boolean excused, AckFailedException failure) {
    ackFailed(ack, excused, (Throwable) failure);
    List<Outcome> outcomes = failure.outcomes();
    if (outcomes.size() != ack.all.size()) {
      throw new NotAllowed(
          AloRule.ALO_11,
          "an ack of %d deliveries failed with %d outcomes"
              .formatted(ack.all.size(), outcomes.size()));
    }
    long now = clock.getAsLong();
    for (int i = 0; i < outcomes.size(); i++) {
      Handed one = ack.all.get(i);
      boolean settled = outcomes.get(i) == Outcome.CONFIRMED;
      boolean open = ack.open.get(i) && !one.holder.ended && isSurelyInTime(one, now);
      if (!settled && open && !excused && !faultStruck && !redeliversAtRandom) {
        throw new NotAllowed(
            AloRule.ALO_11,
            "an ack of %d deliveries called that of %s %s, whose claim was open: %s"
                .formatted(outcomes.size(), one.copies.name, outcomes.get(i), failure));
      }
      if (settled && one.surelyReleased && !one.given && !faultStruck) {
        throw new NotAllowed(
            AloRule.ALO_11,
            "an ack called that of %s CONFIRMED, which had been released"
                .formatted(one.copies.name));
      }
      if (settled) {
        settled(one, now);
      } else if (outcomes.get(i) == Outcome.REJECTED && one.given && !one.settled) {
        one.rejected = true;
        one.given = false; // its message must come again
        missing -= one.copies.missing();
        one.copies.given--;
        missing += one.copies.missing();
      }
    }
  }

  /** How many confirmed messages were not given to an ack. */
  synchronized int missing() {
    return missing;
  }

  /** About how many confirmed messages a receiver might get now: those that nobody holds. */
  synchronized int available() {
    return missing - held;
  }

  /** What of the missing was never delivered, and what was delivered and did not come back. */
  synchronized NotAllowed lost() {
    List<String> never = new ArrayList<>();
    List<String> notBack = new ArrayList<>();
    for (Copies copies : bodies.values()) {
      if (copies.missing() > 0) {
        (copies.handed.isEmpty() ? never : notBack).add(copies.name);
      }
    }
    return never.isEmpty()
        ? new NotAllowed(
            AloRule.ALO_06,
            "%d confirmed messages were delivered, not acked, and did not come back: %s"
                .formatted(notBack.size(), KitFixture.some(notBack)))
        : new NotAllowed(
            AloRule.ALO_01,
            "%d confirmed messages were never delivered: %s%s"
                .formatted(
                    never.size(),
                    KitFixture.some(never),
                    notBack.isEmpty()
                        ? ""
                        : "; %d more were delivered, not acked, and did not come back: %s"
                            .formatted(notBack.size(), KitFixture.some(notBack))));
  }

  private static Body bodyOf(Message message) {
    byte[] bytes = message.body();
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return new Body(bytes.length, checksum.getValue(), Arrays.hashCode(bytes), message.headers());
  }
}
