package org.mqproof;

import java.util.OptionalInt;

/**
 * One hand-over of a message to one receiver, and the claim on it. Belongs to the receiver that
 * returned it: only that receiver can ack, release or extend it. Immutable.
 */
public interface Delivery {

  /**
   * The message, with its body byte for byte and its headers as they were sent.
   *
   * @return the same message at every call
   */
  Message message();

  /**
   * Which delivery of this message it is, where the system counts them: 1 at first, and larger at
   * each later one. A system may also count deliveries that reached no receiver.
   *
   * @return at least 1, or empty where the system does not count
   */
  default OptionalInt attempt() {
    return OptionalInt.empty();
  }
}
