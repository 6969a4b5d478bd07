package org.mqproof;

import java.util.List;

/** What became of one message of a batch that was sent, or of one delivery that was acked. */
public enum Outcome {
  /** The system confirmed it, at the level {@link Traits} declares. */
  CONFIRMED,
  /**
   * It certainly did not happen: the message is not stored and will never be delivered, or the
   * delivery is not settled.
   */
  REJECTED,
  /** Nobody knows: a timeout, a lost connection. It may have happened, and may be tried again. */
  UNKNOWN;

  /**
   * The counts of each outcome, for the message of an exception.
   *
   * @throws IllegalArgumentException if all are confirmed
   */
  static String counts(String one, String several, List<Outcome> outcomes) {
    long confirmed = outcomes.stream().filter(o -> o == CONFIRMED).count();
    long rejected = outcomes.stream().filter(o -> o == REJECTED).count();
    if (confirmed == outcomes.size()) {
      throw new IllegalArgumentException("no " + one + " failed: " + outcomes);
    }
    long unknown = outcomes.size() - confirmed - rejected;
    // Not formatted: it takes a formatter minutes in the tests of interleavings.
    return ("of " + outcomes.size() + " " + several + " " + confirmed + " confirmed, ")
        + (rejected + " rejected, " + unknown + " unknown");
  }
}
