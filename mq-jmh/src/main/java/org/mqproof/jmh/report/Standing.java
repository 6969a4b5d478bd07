package org.mqproof.jmh.report;

import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/** What a verdict says about the numbers beside it. */
public enum Standing {
  /** At least once holds: nothing lost, unexpected or corrupt, and the drain finished. */
  PROVEN,
  /** The ledger was off, nothing was attempted, or the drain did not finish: nothing is shown. */
  UNVERIFIED,
  /** Something was lost, unexpected or corrupt: the numbers are void. */
  BROKEN;

  /**
   * Judges a verdict.
   *
   * @param verdict what a run proved; null if its ledger was off
   * @return the standing of its numbers
   */
  public static Standing of(@Nullable Verdict verdict) {
    if (verdict == null) {
      return UNVERIFIED;
    }
    // Before the drain has finished, what looks lost may still be waiting in the queue.
    boolean lost = verdict.drained() && verdict.lost() > 0;
    if (lost || verdict.unexpected() > 0 || verdict.corrupt() > 0) {
      return BROKEN;
    }
    return verdict.drained() && verdict.attempted() > 0 ? PROVEN : UNVERIFIED;
  }
}
