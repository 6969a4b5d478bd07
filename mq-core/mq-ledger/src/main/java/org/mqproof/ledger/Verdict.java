package org.mqproof.ledger;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run showed. The counts are messages unless said otherwise; the words are Jepsen's.
 * Immutable.
 *
 * <p>Every attempted message is confirmed, rejected or unknown: {@code attempted = confirmed +
 * rejected + unknown}.
 *
 * @param attempted stamped and handed to a sender
 * @param confirmed {@code send} returned, or said {@code CONFIRMED}
 * @param rejected certainly not stored: each attempt was {@code REJECTED}
 * @param unknown attempted, and neither confirmed nor rejected: an attempt had no outcome, or
 *     {@code UNKNOWN}
 * @param delivered attempted, and delivered at least once
 * @param acked attempted, and its ack completed at least once
 * @param lost confirmed, everything was received that was there, and it was never delivered, or not
 *     given to ack since its last delivery (see {@link Acks#neverGiven})
 * @param unverified as {@code lost}, but not everything was received; 0 if {@code drained}, as
 *     {@code lost} is 0 if not
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
 * @param acks what became of deliveries that were not acked
 * @param anomalies what went against the order of a sender, by name
 * @param expected what the run is held to
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
    Acks acks,
    Anomalies anomalies,
    Expectations expected,
    List<String> examples) {

  /**
   * What became of deliveries that were not acked. Immutable.
   *
   * @param recorded whether it was recorded which deliveries were given to ack. Histories of
   *     version 1 do not say it; then nothing counts as never given, or in doubt
   * @param neverGiven of those lost, or unverified: delivered, not given to ack by any receiver
   *     since their last delivery, and never acked
   * @param inDoubt given to ack, no ack completed, and not delivered again since: the ack failed,
   *     or has no outcome
   * @param gaveBack whether a receiver was closed or failed while others went on, so that messages
   *     it held were delivered to them, out of order
   */
  public record Acks(boolean recorded, long neverGiven, long inDoubt, boolean gaveBack) {

    /** Of a run of which nothing is known but what was acked. */
    public static final Acks NOT_RECORDED = new Acks(false, 0, 0, false);

    Acks plus(Acks other) {
      return new Acks(
          recorded && other.recorded,
          neverGiven + other.neverGiven,
          inDoubt + other.inDoubt,
          gaveBack || other.gaveBack);
    }
  }

  /**
   * What went against the order in which a sender sent, in the words of Jepsen's Kafka workload.
   * They mean something only where an order is declared. A receiver's <em>position</em> is the
   * latest message of the sender that it got. Immutable.
   *
   * @param lostWrites confirmed and never delivered, though a later message of the sender was; only
   *     if drained
   * @param unseen confirmed and never delivered, and no later message of the sender was; only if
   *     drained
   * @param duplicates deliveries of what was delivered before, beyond the position of the receiver:
   *     two receivers got the message, each in its order
   * @param nonmonotonicPolls deliveries of what was delivered before, up to the position of the
   *     receiver: it went back
   * @param nonmonotonicSends confirmed, every attempt of it, and first delivered to a receiver
   *     whose position was later: it is stored, or was handed out, in another order than sent; only
   *     if an order is declared
   * @param skippedPolls confirmed, every attempt of it, and first delivered to another receiver
   *     though the run's first receiver had got a later message while it was the only one; only if
   *     an order is declared
   */
  public record Anomalies(
      long lostWrites,
      long unseen,
      long duplicates,
      long nonmonotonicPolls,
      long nonmonotonicSends,
      long skippedPolls) {

    /** None of them. */
    public static final Anomalies NONE = new Anomalies(0, 0, 0, 0, 0, 0);

    Anomalies plus(Anomalies other) {
      return new Anomalies(
          lostWrites + other.lostWrites,
          unseen + other.unseen,
          duplicates + other.duplicates,
          nonmonotonicPolls + other.nonmonotonicPolls,
          nonmonotonicSends + other.nonmonotonicSends,
          skippedPolls + other.skippedPolls);
    }
  }

  /**
   * Makes a verdict.
   *
   * @param attempted as above
   * @param confirmed as above
   * @param rejected as above
   * @param unknown as above
   * @param delivered as above
   * @param acked as above
   * @param lost as above
   * @param unverified as above
   * @param duplicated as above
   * @param unexpected as above
   * @param recovered as above
   * @param corrupt as above
   * @param reordered as above
   * @param deliveredAfterAck as above
   * @param drained as above
   * @param acks null in a file of an older version: not recorded
   * @param anomalies null in a file of an older version: none
   * @param expected null in a file of an older version: {@link Expectations#AT_LEAST_ONCE}
   * @param examples as above
   */
  public Verdict {
    acks = orElse(acks, Acks.NOT_RECORDED);
    anomalies = orElse(anomalies, Anomalies.NONE);
    expected = orElse(expected, Expectations.AT_LEAST_ONCE);
  }

  private static <T> T orElse(@Nullable T value, T other) {
    return value == null ? other : value;
  }

  /**
   * What the run proves, by what it was held to.
   *
   * @return {@link #expected} and its judgement
   */
  public Judgement judgement() {
    return expected.judge(this);
  }

  /**
   * Whether the run proves what was expected of it.
   *
   * @return {@link Judgement#holds}
   */
  public boolean holds() {
    return judgement().holds();
  }

  /**
   * The same run, held to something else.
   *
   * @param others what it is held to
   * @return the same counts
   */
  public Verdict expecting(Expectations others) {
    return new Verdict(
        attempted,
        confirmed,
        rejected,
        unknown,
        delivered,
        acked,
        lost,
        unverified,
        duplicated,
        unexpected,
        recovered,
        corrupt,
        reordered,
        deliveredAfterAck,
        drained,
        acks,
        anomalies,
        others,
        examples);
  }

  /**
   * This run and another one as one, for example the forks of a benchmark.
   *
   * @param other a run with messages of its own
   * @return the sums; drained if both are, and held to what both are held to
   */
  public Verdict plus(Verdict other) {
    return new Verdict(
        attempted + other.attempted,
        confirmed + other.confirmed,
        rejected + other.rejected,
        unknown + other.unknown,
        delivered + other.delivered,
        acked + other.acked,
        lost + other.lost,
        unverified + other.unverified,
        duplicated + other.duplicated,
        unexpected + other.unexpected,
        recovered + other.recovered,
        corrupt + other.corrupt,
        reordered + other.reordered,
        deliveredAfterAck + other.deliveredAfterAck,
        drained && other.drained,
        acks.plus(other.acks),
        anomalies.plus(other.anomalies),
        expected.and(other.expected),
        Examples.merge(Stream.concat(examples.stream(), other.examples.stream()).toList()));
  }
}
