package org.mqproof;

/** In which order one receiver gets the messages of one sender, without faults and redeliveries. */
public enum Ordering {
  /** No promise. */
  NONE,
  /** A receiver gets the messages of one sender in the order they were sent, possibly with gaps. */
  PER_SENDER
}
