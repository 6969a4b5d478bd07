package org.mqproof.ledger;

import java.util.List;
import java.util.Locale;

/**
 * What a run proved. The counts are messages unless said otherwise; the words are Jepsen's.
 * Immutable.
 *
 * <p>Every attempted message is confirmed, rejected or unknown: {@code attempted = confirmed +
 * rejected + unknown}.
 *
 * @param attempted stamped and handed to a sender
 * @param confirmed {@code send} returned, or said {@code CONFIRMED}
 * @param rejected certainly not stored: {@code REJECTED}, and nothing else was ever said
 * @param unknown attempted, and neither confirmed nor rejected
 * @param delivered attempted, and delivered at least once
 * @param acked attempted, and its ack completed at least once
 * @param lost confirmed, never delivered, and everything was received that was there
 * @param unverified confirmed and not delivered, but not everything was received; 0 if {@code
 *     drained}, as {@code lost} is 0 if not
 * @param duplicated attempted, and delivered more than once
 * @param unexpected delivered though never attempted or rejected; and every single delivery of a
 *     body that another run stamped
 * @param recovered unknown, yet delivered
 * @param corrupt deliveries, not messages, whose body is not one that a ledger stamped, byte for
 *     byte
 * @param reordered first delivered to a receiver that already had a later message of the same
 *     sender
 * @param deliveredAfterAck deliveries, not messages, that were recorded after an ack of the same
 *     message was recorded as completed, whichever receivers they were
 * @param drained whether everything was received that was there
 * @param examples up to ten of the worst messages, for a failure's text, for example {@code "lost:
 *     sender 3 sequences 17-19"}
 */
public record Verdict(
    long attempted,
    long confirmed,
    long rejected,
    long unknown,
    long delivered,
    long acked,
    long lost,
    long unverified,
    long duplicated,
    long unexpected,
    long recovered,
    long corrupt,
    long reordered,
    long deliveredAfterAck,
    boolean drained,
    List<String> examples) {

  /**
   * Whether at-least-once delivery is proven: drained, and nothing lost, unexpected or corrupt.
   * Faults and redeliveries may leave duplicates. A rate measured without this is not a rate.
   *
   * @return false also when nothing was found wrong but the drain did not finish
   */
  public boolean holds() {
    return drained && !broken();
  }

  /**
   * Whether each message was moreover delivered only once, as a run without faults should show.
   *
   * @return {@link #holds()}, and nothing duplicated
   */
  public boolean clean() {
    return holds() && duplicated == 0;
  }

  /**
   * One line for a table or a failure's text.
   *
   * @return for example {@code "at-least-once holds: 1,000,000 confirmed, 0 lost, 0 unexpected, 0
   *     corrupt, 3 duplicated, 12 recovered"}; begins with {@code "at-least-once broken"} or {@code
   *     "at-least-once unverified"} where it does not hold
   */
  public String summary() {
    String counts =
        String.format(
            Locale.ROOT,
            "%,d confirmed, %,d lost, %,d unexpected, %,d corrupt, %,d duplicated, %,d recovered",
            confirmed,
            lost,
            unexpected,
            corrupt,
            duplicated,
            recovered);
    if (broken()) {
      return "at-least-once broken: " + counts;
    }
    return drained
        ? "at-least-once holds: " + counts
        : String.format(
            Locale.ROOT,
            "at-least-once unverified: not drained, %,d not delivered so far; %s",
            unverified,
            counts);
  }

  private boolean broken() {
    return lost > 0 || unexpected > 0 || corrupt > 0;
  }
}
