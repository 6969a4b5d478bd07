package org.mqproof.jmh.trial;

/** Which sides of the queue a benchmark measures, and so what becomes of messages that are left. */
public enum Leftovers {
  /**
   * Both sides run: receivers empty the queue when the window has closed, and what comes counts.
   */
  RECEIVED(true, true),
  /** Nobody receives: the queue is emptied when it holds more than the backlog. */
  EMPTIED(true, false),
  /** The queue was filled before, and is left as it is. */
  LEFT(false, true);

  private final boolean senders;
  private final boolean receivers;

  Leftovers(boolean senders, boolean receivers) {
    this.senders = senders;
    this.receivers = receivers;
  }

  /** Whether senders are measured, or only fill the queue. */
  boolean measuresSenders() {
    return senders;
  }

  /** Whether there are receivers that are measured. */
  boolean measuresReceivers() {
    return receivers;
  }

  /** Whether what is sent in an iteration is received in it. */
  boolean measuresBothSides() {
    return senders && receivers;
  }
}
