package org.mqproof;

/** Who can receive a message after its delivery was released. */
public enum Release {
  /** {@link Receiver#release} is not supported. */
  NONE,
  /**
   * The same receiver at once, and others when it has closed or died: in a consumer group of Kafka
   * the receiver keeps the partition. The client hands out the message that it holds, so its body
   * must be as it was received.
   */
  SAME_RECEIVER,
  /** Every receiver of the queue, at once. */
  ANY_RECEIVER
}
