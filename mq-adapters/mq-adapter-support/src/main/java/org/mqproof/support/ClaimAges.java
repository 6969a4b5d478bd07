package org.mqproof.support;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Which claims have ended, for a system that does not say so: it takes the ack of an earlier claim
 * for one of the claim that has followed it. So the age of a claim decides, at the client, and the
 * system hides a message for longer than the claim period, see {@link ClaimingMq.Bounds#hidden()}.
 *
 * <p>Immutable.
 *
 * @param <D> the receiver's deliveries
 */
public final class ClaimAges<D> {

  private final ToLongFunction<D> ageNanos;
  private final long periodNanos;
  private final long hiddenNanos;
  private final long stepNanos;

  /**
   * Creates the ages of one receiver's claims.
   *
   * @param bounds limits of every queue
   * @param ageNanos time since a claim arrived, or was last extended
   */
  public ClaimAges(ClaimingMq.Bounds bounds, ToLongFunction<D> ageNanos) {
    this.ageNanos = ageNanos;
    periodNanos = bounds.claimPeriod().toNanos();
    hiddenNanos = bounds.hidden().toNanos();
    stepNanos = bounds.step().toNanos();
  }

  /**
   * Claims that must not be acked any more. Half of what a claim lasts beyond its period is left
   * for the ways of message and ack.
   *
   * @param deliveries any
   * @return those
   */
  public Set<D> tooOldToAck(Collection<D> deliveries) {
    return olderThan((periodNanos + hiddenNanos) / 2, deliveries);
  }

  /**
   * Claims whose period is over, which are not given back or extended any more.
   *
   * @param deliveries any
   * @return those
   */
  public Set<D> over(Collection<D> deliveries) {
    return olderThan(periodNanos, deliveries);
  }

  private Set<D> olderThan(long nanos, Collection<D> deliveries) {
    Set<D> old = new HashSet<>();
    for (D delivery : deliveries) {
      if (ageNanos.applyAsLong(delivery) >= nanos) {
        old.add(delivery);
      }
    }
    return old;
  }

  /**
   * Until when to ask something of claims: while none of them can have ended, and one step at most.
   *
   * @param deliveries any
   * @return in terms of {@link System#nanoTime()}
   */
  public long deadlineNanos(Collection<D> deliveries) {
    long oldest = deliveries.stream().mapToLong(ageNanos).max().orElse(0);
    return System.nanoTime() + Math.min(stepNanos, hiddenNanos - oldest);
  }

  /**
   * The others, in their order.
   *
   * @param some those to leave out
   * @param deliveries all
   * @param <D> the receiver's deliveries
   * @return what remains
   */
  public static <D> List<D> without(Set<D> some, Collection<D> deliveries) {
    return deliveries.stream().filter(delivery -> !some.contains(delivery)).toList();
  }
}
