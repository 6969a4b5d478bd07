package org.mqproof;

/**
 * Whether confirmed messages survive that all nodes lose their power at once: what was not forced
 * to their disks is gone.
 */
public enum PowerCut {
  /** They survive. */
  SURVIVED,
  /** Some or all can be lost. */
  LOST,
  /** No test has shown either. */
  NOT_SHOWN
}
