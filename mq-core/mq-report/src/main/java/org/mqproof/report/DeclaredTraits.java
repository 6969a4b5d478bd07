package org.mqproof.report;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.Traits;

/**
 * The {@link Traits} that held during a run, as they are written to a file. Immutable.
 *
 * @param durable whether a confirmed message outlives a crash of every broker process
 * @param copies nodes that hold a confirmed message when nothing is broken, at least 1
 * @param replicationAwaited whether a confirmed message survives the loss of any one node
 * @param claimPeriodMillis time after which an unacked claim expires, milliseconds; null if never
 * @param redeliveryBoundMillis longest time from a receiver's crash to redelivery, milliseconds
 * @param ordering the order one receiver sees
 * @param ackMode when an ack settles
 * @param largestBodyBytes largest body that can be sent, bytes
 * @param mostInFlight most deliveries that one receiver can hold unacked
 * @param powerCut whether confirmed messages survive that all nodes lose their power at once; null
 *     in a file that is older
 * @param retentionMillis time after which the system forgets a message that nobody took,
 *     milliseconds; null if never, or in a file that is older
 */
public record DeclaredTraits(
    boolean durable,
    int copies,
    boolean replicationAwaited,
    @Nullable Long claimPeriodMillis,
    long redeliveryBoundMillis,
    Ordering ordering,
    AckMode ackMode,
    int largestBodyBytes,
    int mostInFlight,
    @Nullable PowerCut powerCut,
    @Nullable Long retentionMillis) {

  /**
   * Writes an adapter's traits down.
   *
   * @param traits as the connected adapter declares them
   * @return the same, for a file
   */
  public static DeclaredTraits of(Traits traits) {
    return new DeclaredTraits(
        traits.durable(),
        traits.copies(),
        traits.replicationAwaited(),
        traits.claimPeriod().map(Duration::toMillis).orElse(null),
        traits.redeliveryBound().toMillis(),
        traits.ordering(),
        traits.ackMode(),
        traits.largestBodyBytes(),
        traits.mostInFlight(),
        traits.powerCut(),
        traits.retention().map(Duration::toMillis).orElse(null));
  }
}
