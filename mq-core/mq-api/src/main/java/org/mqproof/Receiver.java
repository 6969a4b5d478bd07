package org.mqproof;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Receives from one queue, in competition with the queue's other receivers.
 *
 * <p>Not thread-safe: one receiver, one thread at a time. Futures complete on any thread; what is
 * attached to them must not block. A list that {@link #receive} returned is the caller's, and so is
 * a collection that was given to a call, once the call returned.
 */
public interface Receiver extends AutoCloseable {

  /**
   * Claims messages: hides them from every other receiver until they are acked or released, this
   * receiver closes or dies, or the claim expires ({@link Traits#claimPeriod()}). Removes nothing.
   *
   * @param max most messages to return, at least 1
   * @param timeout longest wait for the first message; zero only looks at what is here
   * @return 1 to {@code max} deliveries as soon as there is one, or an empty list at the timeout,
   *     also while this receiver has so many deliveries unacked that the system gives it no more:
   *     at the latest at {@link Traits#mostInFlight()}
   * @throws IllegalArgumentException if {@code max} is below 1 or {@code timeout} is negative
   * @throws InterruptedException if the thread was interrupted; nothing is lost by that
   * @throws IllegalStateException if this receiver is closed
   * @throws MqException if the system failed; what had been claimed here may come back to others
   */
  List<Delivery> receive(int max, Duration timeout) throws InterruptedException;

  /**
   * Declares deliveries done. Settles these and no others, in any order. What failed may be given
   * again.
   *
   * @param deliveries deliveries of this receiver; one that was acked before, or whose claim has
   *     ended, is left out without harm to the rest
   * @return completes when none of these messages will come back. Completes exceptionally with
   *     {@link AckFailedException}, which holds one {@link Outcome} per delivery, if any might: its
   *     claim had ended before the ack arrived, the system failed, or the receiver closed first.
   *     What was left out because its claim had ended is REJECTED, or UNKNOWN where the system does
   *     not tell. A copy for the caller: completing or cancelling it changes nothing else
   * @throws IllegalArgumentException if any delivery belongs to another receiver; nothing was acked
   * @throws IllegalStateException if this receiver is closed
   */
  CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries);

  /**
   * Gives deliveries back at once, as {@link Traits#release()} says to whom: for work that failed
   * and is to be tried again. Releases these and no others. An ack of a released delivery is left
   * out, as of any whose claim has ended.
   *
   * @param deliveries deliveries of this receiver, with bodies as they were received where {@link
   *     Traits#release()} is {@link Release#SAME_RECEIVER}; one that was acked or released before,
   *     or whose claim has ended, is left out without harm to the rest
   * @return completes when these messages can be received again; exceptionally with {@link
   *     MqException} if that is not known: they then come back when their claims end. A copy for
   *     the caller
   * @throws IllegalArgumentException if any delivery belongs to another receiver; nothing was
   *     released
   * @throws IllegalStateException if this receiver is closed
   * @throws UnsupportedOperationException if {@link Traits#release()} is {@link Release#NONE}
   */
  default CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    throw new UnsupportedOperationException(getClass().getName() + " does not release deliveries");
  }

  /**
   * Starts the claim periods of deliveries anew, for work that takes longer than one. Where claims
   * never end there is nothing to do.
   *
   * @param deliveries deliveries of this receiver; one that was acked or released before is left
   *     out without harm to the rest
   * @return completes when each of these claims lasts {@link Traits#claimPeriod()} from the call
   *     on; exceptionally with {@link MqException} if any may not: its claim had ended, or the
   *     system failed. A copy for the caller
   * @throws IllegalArgumentException if any delivery belongs to another receiver; nothing was
   *     extended
   * @throws IllegalStateException if this receiver is closed
   * @throws UnsupportedOperationException if {@link Traits#extendable()} is false
   */
  default CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    throw new UnsupportedOperationException(getClass().getName() + " does not extend claims");
  }

  /**
   * Finishes the acks that were given, as far as they can be, gives every other message back to the
   * queue, and closes. Idempotent, and bounded by {@link Traits#callBound()}.
   */
  @Override
  void close();
}
