package org.mqproof;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Receives from one queue, in competition with the queue's other receivers.
 *
 * <p>Not thread-safe: one receiver, one thread at a time. Futures complete on any thread; what is
 * attached to them must not block.
 */
public interface Receiver extends AutoCloseable {

  /**
   * Claims messages: hides them from every other receiver until they are acked, this receiver
   * closes or dies, or the claim expires ({@link Traits#claimPeriod()}). Removes nothing.
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
   * Declares deliveries done. Settles these and no others, in any order.
   *
   * @param deliveries deliveries of this receiver; one that was acked before, or whose claim has
   *     ended, is left out without harm to the rest
   * @return completes when none of these messages will come back. Completes exceptionally with
   *     {@link MqException} if any might: its claim had ended before the ack arrived, the system
   *     failed, or the receiver closed first; each of them may then be delivered again
   * @throws IllegalArgumentException if any delivery belongs to another receiver; nothing was acked
   * @throws IllegalStateException if this receiver is closed
   */
  CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries);

  /**
   * Finishes the acks that were given, as far as they can be, gives every other message back to the
   * queue, and closes. Idempotent, and bounded by {@link Traits#callBound()}.
   */
  @Override
  void close();
}
