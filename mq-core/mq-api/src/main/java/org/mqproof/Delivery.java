package org.mqproof;

/**
 * One hand-over of a message to one receiver, and the claim on it. Belongs to the receiver that
 * returned it: only that receiver can ack it. Immutable.
 */
public interface Delivery {

  /**
   * The message, byte for byte as it was sent.
   *
   * @return the same message at every call
   */
  Message message();
}
