package org.mqproof.ledger;

/** What a {@link Judgement.Finding} does to a proof. */
public enum Weight {
  /** A promise was broken. */
  BREAKS,
  /** Nothing is proven, and nothing is broken by it. */
  PROVES_NOTHING,
  /** A reader should know; the proof stands. */
  NOTED
}
