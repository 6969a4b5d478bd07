package org.mqproof.cluster;

/** How soon a cluster notices that a node is gone. */
public enum FailoverTimings {
  /** What the vendor ships. Only these are fair in a comparison. */
  DEFAULT,
  /**
   * Seconds, so that a test that waits for a failover is short. On a loaded machine a healthy node
   * may be taken for dead; that costs time, never a message.
   */
  FAST
}
