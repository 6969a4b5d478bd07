package org.mqproof.cluster;

/** What a cluster is set up for. Durability is the same in both. */
public enum Tuning {
  /** As the vendor ships it: what is not needed to run on one machine has its default. */
  DEFAULT,
  /**
   * For tests: starts soon and notices a lost node in seconds, at the price of throughput. On a
   * loaded machine it may take a healthy node for dead; that costs time, never a message. No number
   * measured with it means anything.
   */
  FAST
}
