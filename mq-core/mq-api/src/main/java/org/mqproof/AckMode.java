package org.mqproof;

/** When an ack settles. In both modes it settles the named deliveries and no others. */
public enum AckMode {
  /** An ack settles on its own, whatever else is in flight. */
  SELECTIVE,
  /**
   * The system can only be told "everything up to here is done". The adapter holds an ack back
   * until every earlier delivery of the same part of the queue is acked; its future completes only
   * then, and fails if the receiver closes first.
   */
  WHOLE_PREFIX
}
