package org.mqproof.kafka;

import org.mqproof.Receiver;

/** A receiver that can be closed together with others, within one bound. */
interface ClosingReceiver extends Receiver {

  /** Starts to close and does not wait. */
  void beginClose();

  /** Waits until acks are settled, the group is left and the receiver's thread has ended. */
  void awaitClosed(long deadlineNanos);
}
