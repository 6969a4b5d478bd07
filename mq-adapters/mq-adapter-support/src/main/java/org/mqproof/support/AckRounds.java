package org.mqproof.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;

/**
 * Tracks the claims of one receiver and settles its acks in rounds: one request at a time, and acks
 * that arrive meanwhile go together with the next.
 *
 * <p>Thread-safe, by one lock. Futures are completed outside of it.
 *
 * @param <D> the receiver's deliveries
 */
public final class AckRounds<D extends ClaimedDelivery> {

  /**
   * Settles claims. Called in a thread that may block.
   *
   * @param <D> the receiver's deliveries
   */
  public interface Settling<D> {

    /**
     * Settles the claims that have not ended.
     *
     * @param deliveries at least one
     * @return those whose claim had ended; the message may come back
     * @throws MqException if the result is unknown; the acks may be given again
     */
    Set<D> settle(Collection<D> deliveries);
  }

  private final String where;
  private final Class<D> type;
  private final Settling<D> settling;
  private final Executor threads;
  private final long overAfterNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private final Set<D> held = new LinkedHashSet<>();
  private Map<D, CompletableFuture<Void>> gathering = new LinkedHashMap<>();
  private boolean underWay;

  /**
   * Creates it without claims.
   *
   * @param where endpoint and queue, the start of error messages
   * @param type the receiver's deliveries
   * @param settling settles claims
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
    while (oldest.hasNext() && now - oldest.next().sinceNanos() >= overAfterNanos) {
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

  /**
   * Acks deliveries. Those acked before are skipped.
   *
   * @param deliveries claims of this receiver
   * @return completes when all of them are settled
   * @throws IllegalArgumentException if one belongs to another receiver
   */
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof ClaimedDelivery ours) || ours.owner() != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
    }
    CompletableFuture<Void> future = new CompletableFuture<>();
    Set<CompletableFuture<Void>> waitFor = new HashSet<>();
    boolean ended = false;
    lock.lock();
    try {
      for (Delivery delivery : deliveries) {
        D ours = type.cast(delivery);
        if (ours.state == ClaimedDelivery.State.CLAIMED) {
          ours.state = ClaimedDelivery.State.ACKING;
          ours.acking = future;
          gathering.put(ours, future);
          waitFor.add(future);
        } else if (ours.acking != null) {
          waitFor.add(ours.acking);
        } else {
          ended |= ours.state == ClaimedDelivery.State.ENDED;
        }
      }
      startRound();
    } finally {
      lock.unlock();
    }
    if (ended) {
      waitFor.add(CompletableFuture.failedFuture(claimEnded()));
    }
    return allOf(waitFor);
  }

  /** Fails with what failed, not with a {@link CompletionException} around it. */
  private static CompletableFuture<Void> allOf(Collection<CompletableFuture<Void>> futures) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    all.complete(null);
                  } else {
                    all.completeExceptionally(
                        failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
                  }
                });
    return all;
  }

  private MqException claimEnded() {
    return new MqException(where + ": a claim had ended before the ack arrived");
  }

  private void startRound() {
    if (!underWay && !gathering.isEmpty()) {
      Map<D, CompletableFuture<Void>> round = gathering;
      gathering = new LinkedHashMap<>();
      underWay = true;
      threads.execute(() -> run(round));
    }
  }

  // In one of the threads.

  private void run(Map<D, CompletableFuture<Void>> round) {
    Set<D> notOurs = Set.of();
    RuntimeException failure = new MqException(where + ": an ack ended with an error");
    try {
      notOurs = settling.settle(round.keySet());
      failure = null;
    } catch (MqException | IllegalStateException e) { // the latter if all is closed
      failure = e;
    } finally {
      ended(round, notOurs, failure);
    }
  }

  private void ended(
      Map<D, CompletableFuture<Void>> round, Set<D> notOurs, @Nullable RuntimeException failure) {
    Set<CompletableFuture<Void>> failed = new HashSet<>();
    lock.lock();
    try {
      round.forEach(
          (delivery, future) -> {
            delivery.acking = null;
            if (failure != null) {
              delivery.state = ClaimedDelivery.State.CLAIMED; // may be tried again
              failed.add(future);
              return;
            }
            held.remove(delivery);
            if (notOurs.contains(delivery)) {
              delivery.state = ClaimedDelivery.State.ENDED;
              failed.add(future);
            } else {
              delivery.state = ClaimedDelivery.State.SETTLED;
            }
          });
      underWay = false;
    } finally {
      lock.unlock();
    }
    RuntimeException cause = failure == null ? claimEnded() : failure;
    failed.forEach(future -> future.completeExceptionally(cause));
    round.values().forEach(future -> future.complete(null)); // those that did not fail
    lock.lock();
    try {
      startRound();
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // For the thread that closes.

  /**
   * Waits until every ack is answered, and fails acks not yet sent at the deadline. Ignores
   * interrupts but keeps the flag.
   *
   * @param deadlineNanos in terms of {@link System#nanoTime()}
   */
  public void awaitIdle(long deadlineNanos) {
    boolean interrupted = false;
    Map<D, CompletableFuture<Void>> open = Map.of();
    lock.lock();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (isBusy() && left > 0) {
        try {
          left = idle.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
          left = deadlineNanos - System.nanoTime();
        }
      }
      if (isBusy()) {
        open = gathering;
        gathering = new LinkedHashMap<>();
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    MqException cause = new MqException(where + ": the receiver was closed");
    open.values().forEach(future -> future.completeExceptionally(cause));
  }

  private boolean isBusy() {
    return underWay || !gathering.isEmpty();
  }
}
