package org.mqproof.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/**
 * Tracks the claims of one receiver and settles its acks in rounds: one request at a time, and acks
 * that arrive meanwhile go together with the next. Releases and extensions are requests of their
 * own, at once.
 *
 * <p>Thread-safe, by one lock. Futures are completed outside of it, and each is the caller's own.
 *
 * @param <D> the receiver's deliveries
 */
public final class AckRounds<D extends ClaimedDelivery> {

  /**
   * Ends and extends claims. Called in threads that may block.
   *
   * @param <D> the receiver's deliveries
   */
  public interface Settling<D> {

    /**
     * Settles the claims that have not ended.
     *
     * @param deliveries at least one
     * @return those whose claim had ended; the message may come back
     * @throws PartlySettled if some results are unknown; these acks may be given again
     * @throws Exception if every result is unknown; the acks may be given again
     */
    Set<D> settle(Collection<D> deliveries) throws Exception;

    /**
     * Gives back claims that have not ended.
     *
     * @param deliveries may be empty
     * @return whether any had not ended
     * @throws Exception if the result is unknown
     */
    boolean free(Collection<D> deliveries) throws Exception;

    /**
     * Starts claims anew that have not ended.
     *
     * @param deliveries at least one
     * @return those whose claim had ended
     * @throws Exception if the result is unknown
     */
    Set<D> extend(Collection<D> deliveries) throws Exception;
  }

  /** Some acks of a request have an answer, and others have none. */
  public static final class PartlySettled extends MqException {

    private static final long serialVersionUID = 1L;

    private final transient Set<? extends ClaimedDelivery> ended;
    private final transient Set<? extends ClaimedDelivery> unknown;

    /**
     * Records what is known.
     *
     * @param message one sentence that names the endpoint
     * @param ended those whose claim had ended
     * @param unknown those without an answer
     * @param cause why there is none, or null
     */
    public PartlySettled(
        String message,
        Set<? extends ClaimedDelivery> ended,
        Set<? extends ClaimedDelivery> unknown,
        @Nullable Throwable cause) {
      super(message, cause);
      this.ended = ended;
      this.unknown = unknown;
    }
  }

  /** One request, or one that gathers deliveries. Written by one thread before it ends. */
  static final class Round<D> {

    private final Set<D> deliveries = new LinkedHashSet<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Set<? extends ClaimedDelivery> notOurs = Set.of();
    private @Nullable Set<? extends ClaimedDelivery> unknown; // null: all, if it failed
    private Outcome ifFailed = Outcome.UNKNOWN;
    private @Nullable MqException failure;

    private Outcome outcome(Delivery delivery) {
      if (notOurs.contains(delivery)) {
        return Outcome.REJECTED;
      }
      return failedFor(delivery) ? ifFailed : Outcome.CONFIRMED;
    }

    private boolean failedFor(Delivery delivery) {
      return failure != null && (unknown == null || unknown.contains(delivery));
    }
  }

  /** Of what is settled: a delivery that a user keeps must not keep those acked with it. */
  private static final Round<?> DONE = new Round<>();

  static {
    DONE.ended.complete(null);
  }

  private final String where;
  private final Class<D> type;
  private final Settling<D> settling;
  private final Executor threads;
  private final long overAfterNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private final Set<D> held = new LinkedHashSet<>();
  private Round<D> gathering = new Round<>();
  private boolean underWay;

  /** Releases and extensions under way. */
  private int others;

  /**
   * Creates it without claims.
   *
   * @param where endpoint and queue, the start of error messages
   * @param type the receiver's deliveries
   * @param settling ends and extends claims
   * @param threads runs the settling
   * @param overAfter age at which a claim has surely ended and need not be given back
   */
  public AckRounds(
      String where, Class<D> type, Settling<D> settling, Executor threads, Duration overAfter) {
    this.where = where;
    this.type = type;
    this.settling = settling;
    this.threads = threads;
    overAfterNanos = overAfter.toNanos();
  }

  /**
   * Records claims until they are settled, taken or over.
   *
   * @param deliveries claims of this receiver
   */
  public void hold(Collection<D> deliveries) {
    lock.lock();
    try {
      forgetThoseThatAreOver();
      held.addAll(deliveries);
    } finally {
      lock.unlock();
    }
  }

  /** Claims are held oldest first. Called with the lock. */
  private void forgetThoseThatAreOver() {
    long now = System.nanoTime();
    Iterator<D> oldest = held.iterator();
    while (oldest.hasNext() && now - oldest.next().sinceNanos >= overAfterNanos) {
      oldest.remove();
    }
  }

  /** Number of claims held. */
  int size() {
    lock.lock();
    try {
      return held.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes every claim without an ack under way, so that it can be given back.
   *
   * @return oldest first
   */
  public List<D> take() {
    lock.lock();
    try {
      List<D> taken = new ArrayList<>(held);
      taken.removeIf(delivery -> delivery.state == ClaimedDelivery.State.ACKING);
      taken.forEach(held::remove);
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes claims that were not handed to the user.
   *
   * @param deliveries claims of this receiver
   */
  public void forget(Collection<D> deliveries) {
    lock.lock();
    try {
      deliveries.forEach(held::remove);
    } finally {
      lock.unlock();
    }
  }

  private List<D> ours(Collection<? extends Delivery> deliveries) {
    return Deliveries.own(deliveries, type, own -> own.owner() == this);
  }

  /**
   * Acks deliveries. Those acked before are left out; those whose ack failed are tried again.
   *
   * @param deliveries claims of this receiver
   * @return completes when all of them are settled, or with an {@link AckFailedException}
   * @throws IllegalArgumentException if one belongs to another receiver
   */
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    List<D> ours = ours(deliveries);
    List<@Nullable Round<?>> rounds = new ArrayList<>(ours.size()); // null: the claim had ended
    Set<Round<?>> waitFor = new LinkedHashSet<>();
    lock.lock();
    try {
      for (D delivery : ours) {
        if (delivery.state == ClaimedDelivery.State.CLAIMED) {
          delivery.state = ClaimedDelivery.State.ACKING;
          delivery.round = gathering;
          gathering.deliveries.add(delivery);
        }
        boolean isAcked =
            delivery.state == ClaimedDelivery.State.ACKING
                || delivery.state == ClaimedDelivery.State.SETTLED;
        Round<?> round = isAcked ? delivery.round : null;
        rounds.add(round);
        if (round != null) {
          waitFor.add(round);
        }
      }
      startRound();
    } finally {
      lock.unlock();
    }
    return whenEnded(waitFor, () -> ackFailure(ours, rounds));
  }

  private interface Failure {
    @Nullable MqException find();
  }

  private static CompletableFuture<Void> whenEnded(Collection<Round<?>> rounds, Failure failure) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(
                rounds.stream().map(round -> round.ended).toArray(CompletableFuture[]::new))
            .thenRun(
                () -> {
                  MqException found = failure.find();
                  if (found == null) {
                    all.complete(null);
                  } else {
                    all.completeExceptionally(found);
                  }
                });
    return all;
  }

  private @Nullable MqException ackFailure(List<D> deliveries, List<@Nullable Round<?>> rounds) {
    List<Outcome> outcomes = new ArrayList<>(rounds.size());
    MqException cause = null;
    for (int i = 0; i < rounds.size(); i++) {
      Round<?> round = rounds.get(i);
      outcomes.add(round == null ? Outcome.REJECTED : round.outcome(deliveries.get(i)));
      if (cause == null && round != null) {
        cause = round.failure;
      }
    }
    if (outcomes.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
      return null;
    }
    return cause == null
        ? new AckFailedException(
            where + ": a claim had ended before the ack arrived", outcomes, null)
        : new AckFailedException(String.valueOf(cause.getMessage()), outcomes, cause);
  }

  private void startRound() {
    if (!underWay && !gathering.deliveries.isEmpty()) {
      Round<D> round = gathering;
      gathering = new Round<>();
      underWay = true;
      threads.execute(() -> run(round));
    }
  }

  // In one of the threads.

  private void run(Round<D> round) {
    round.failure = new MqException(where + ": an ack ended with an error");
    try {
      round.notOurs = settling.settle(round.deliveries);
      round.failure = null;
    } catch (PartlySettled e) {
      round.notOurs = e.ended;
      round.unknown = e.unknown;
      round.failure = e;
    } catch (MqException e) {
      round.failure = e;
    } catch (Exception e) {
      round.failure = new MqException(where + ": cannot ack: " + Causes.reason(e), e);
    } finally {
      ended(round);
    }
  }

  private void ended(Round<D> round) {
    lock.lock();
    try {
      for (D delivery : round.deliveries) {
        if (round.failedFor(delivery)) {
          mayBeTriedAgain(delivery);
          continue;
        }
        held.remove(delivery);
        if (round.notOurs.contains(delivery)) {
          delivery.state = ClaimedDelivery.State.ENDED;
          delivery.round = null;
        } else {
          delivery.state = ClaimedDelivery.State.SETTLED;
          delivery.round = DONE;
        }
      }
      underWay = false;
    } finally {
      lock.unlock();
    }
    round.ended.complete(null);
    lock.lock();
    try {
      startRound();
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void mayBeTriedAgain(D delivery) {
    delivery.state = ClaimedDelivery.State.CLAIMED;
    delivery.round = null;
  }

  // Releases and extensions.

  /**
   * Gives claims back. Those acked or released before are left out.
   *
   * @param deliveries claims of this receiver
   * @return completes when others can receive the messages, or with an {@link MqException}
   * @throws IllegalArgumentException if one belongs to another receiver
   */
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    List<D> ours = ours(deliveries);
    Round<D> round = new Round<>();
    Set<Round<?>> waitFor = new LinkedHashSet<>();
    lock.lock();
    try {
      for (D delivery : ours) {
        if (delivery.state == ClaimedDelivery.State.CLAIMED) {
          delivery.state = ClaimedDelivery.State.RELEASED;
          delivery.round = round;
          held.remove(delivery);
          round.deliveries.add(delivery);
        }
        if (delivery.state == ClaimedDelivery.State.RELEASED && delivery.round != null) {
          waitFor.add(delivery.round);
        }
      }
      if (!round.deliveries.isEmpty()) {
        others++;
        threads.execute(() -> free(round));
      }
    } finally {
      lock.unlock();
    }
    return whenEnded(waitFor, () -> firstFailure(waitFor));
  }

  private void free(Round<D> round) {
    attempt(
        round,
        "release",
        () -> {
          boolean unused = settling.free(round.deliveries);
        });
    otherEnded(
        round,
        () -> {
          if (round.failure == null) {
            round.deliveries.forEach(delivery -> delivery.round = null);
          }
        });
  }

  /**
   * Starts claims anew. Those acked or released before are left out.
   *
   * @param deliveries claims of this receiver
   * @return completes when the claims last for another period, or with an {@link MqException}
   * @throws IllegalArgumentException if one belongs to another receiver
   */
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    List<D> ours = ours(deliveries);
    Round<D> round = new Round<>();
    boolean ended = false;
    lock.lock();
    try {
      for (D delivery : ours) {
        ended |= delivery.state == ClaimedDelivery.State.ENDED;
        if (delivery.state == ClaimedDelivery.State.CLAIMED) {
          round.deliveries.add(delivery);
        }
      }
      if (round.deliveries.isEmpty()) {
        return ended
            ? CompletableFuture.failedFuture(extendedTooLate())
            : CompletableFuture.completedFuture(null);
      }
      others++;
      long sinceNanos = System.nanoTime();
      boolean oneHadEnded = ended;
      threads.execute(() -> extend(round, sinceNanos, oneHadEnded));
    } finally {
      lock.unlock();
    }
    return whenEnded(Set.of(round), () -> round.failure);
  }

  private void extend(Round<D> round, long sinceNanos, boolean oneHadEnded) {
    attempt(round, "extend", () -> round.notOurs = settling.extend(round.deliveries));
    otherEnded(
        round,
        () -> {
          if (round.failure == null && (extended(round, sinceNanos) || oneHadEnded)) {
            round.failure = extendedTooLate();
          }
        });
  }

  /** Whether a claim had ended. Called with the lock. */
  private boolean extended(Round<D> round, long sinceNanos) {
    boolean ended = false;
    for (D delivery : round.deliveries) {
      if (delivery.state != ClaimedDelivery.State.CLAIMED) {
        continue; // an ack or a release overtook it
      }
      held.remove(delivery);
      if (round.notOurs.contains(delivery)) {
        delivery.state = ClaimedDelivery.State.ENDED;
        ended = true;
      } else {
        delivery.sinceNanos = sinceNanos;
        held.add(delivery); // now the youngest
      }
    }
    return ended;
  }

  private MqException extendedTooLate() {
    return new MqException(where + ": a claim had ended before it was extended");
  }

  private interface Request {
    void make() throws Exception;
  }

  private void attempt(Round<D> round, String what, Request request) {
    round.failure = new MqException("%s: cannot %s a claim".formatted(where, what)); // by an Error
    try {
      request.make();
      round.failure = null;
    } catch (Exception e) {
      round.failure =
          new MqException("%s: cannot %s a claim: %s".formatted(where, what, Causes.reason(e)), e);
    }
  }

  private void otherEnded(Round<D> round, Runnable underLock) {
    lock.lock();
    try {
      underLock.run();
      others--;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
    round.ended.complete(null);
  }

  private static @Nullable MqException firstFailure(Collection<Round<?>> rounds) {
    for (Round<?> round : rounds) {
      if (round.failure != null) {
        return round.failure;
      }
    }
    return null;
  }

  // For the thread that closes.

  /**
   * Waits until every request is answered, and fails acks not yet sent at the deadline. Ignores
   * interrupts but keeps the flag.
   *
   * @param deadlineNanos in terms of {@link System#nanoTime()}
   */
  public void awaitIdle(long deadlineNanos) {
    Round<D> open = new Round<>();
    lock.lock();
    try {
      if (!BoundedWaits.await(idle, this::isIdle, deadlineNanos)) {
        open = gathering;
        gathering = new Round<>();
        open.deliveries.forEach(this::mayBeTriedAgain);
        open.failure = new MqException(where + ": the receiver was closed");
        open.ifFailed = Outcome.REJECTED;
      }
    } finally {
      lock.unlock();
    }
    open.ended.complete(null);
  }

  private boolean isIdle() {
    return !underWay && gathering.deliveries.isEmpty() && others == 0;
  }
}
