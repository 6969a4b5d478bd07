package org.mqproof.report;

/** What is known about the numbers of a row. */
public enum Standing {
  /** Its judgement holds. */
  PROVEN,
  /** The ledger was off: nothing is known. */
  UNVERIFIED,
  /** The row failed, or its judgement does not hold: the numbers mean nothing. */
  VOID
}
