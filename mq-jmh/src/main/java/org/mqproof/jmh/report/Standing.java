package org.mqproof.jmh.report;

/** What is known about the numbers of a row. */
public enum Standing {
  /** At least once holds: the drain finished, and nothing was lost, unexpected or corrupt. */
  PROVEN,
  /** The ledger was off: nothing is known. */
  UNVERIFIED,
  /** The row failed, or its verdict does not hold: the numbers mean nothing. */
  VOID
}
