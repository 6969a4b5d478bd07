package org.mqproof.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.mqproof.Delivery;

/** Takes deliveries that arrive in another thread, and checks whose they are. No state. */
public final class Deliveries {

  private Deliveries() {}

  /**
   * Takes what is here, waiting for the first delivery.
   *
   * @param lock guards what arrives; the caller may hold it
   * @param arrived of that lock; signalled when something arrives or the receiver ends
   * @param timeoutNanos longest wait
   * @param take called with the lock; returns an empty list if nothing is here, and throws what
   *     ends the wait
   * @return what {@code take} returned last; empty at the timeout
   * @throws InterruptedException if interrupted while waiting
   */
  public static List<Delivery> take(
      ReentrantLock lock, Condition arrived, long timeoutNanos, Supplier<List<Delivery>> take)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = timeoutNanos;
      List<Delivery> taken = take.get();
      while (taken.isEmpty() && left > 0) {
        left = arrived.awaitNanos(left);
        taken = take.get();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks that deliveries are of one receiver.
   *
   * @param <D> its type of deliveries
   * @param deliveries given by the user
   * @param type class of its deliveries
   * @param isOwn whether one of that class is its own
   * @return the same
   * @throws IllegalArgumentException if one is of another receiver
   */
  public static <D extends Delivery> List<D> own(
      Collection<? extends Delivery> deliveries, Class<D> type, Predicate<D> isOwn) {
    List<D> own = new ArrayList<>(deliveries.size());
    for (Delivery delivery : deliveries) {
      if (!type.isInstance(delivery) || !isOwn.test(type.cast(delivery))) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
      own.add(type.cast(delivery));
    }
    return own;
  }
}
