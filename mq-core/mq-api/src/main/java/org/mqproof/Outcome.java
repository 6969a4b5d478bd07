package org.mqproof;

/** What became of one message of a batch that was sent. */
public enum Outcome {
  /** The system confirmed it, at the level {@link Traits} declares. */
  CONFIRMED,
  /** It is certainly not stored and will never be delivered. */
  REJECTED,
  /** Nobody knows: a timeout, a lost connection. It may be delivered, and may be sent again. */
  UNKNOWN
}
