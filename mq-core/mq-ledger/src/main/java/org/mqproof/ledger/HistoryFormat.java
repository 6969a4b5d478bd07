package org.mqproof.ledger;

import java.nio.charset.StandardCharsets;

/** The numbers of a history file; {@code docs/history.md} says what they mean. Stateless. */
final class HistoryFormat {

  /** The first bytes of the file; the last one is the version. */
  static final byte[] MAGIC = "MqProof-history\2".getBytes(StandardCharsets.US_ASCII);

  /** The first version: nothing of acks but that they completed, and no expectations. */
  static final int VERSION_1 = 1;

  // Types of chunks.

  /** Once, at the start: run, id, wall clock, name. */
  static final int OPENED = 1;

  /** What one sender attempted, and what was said of it. */
  static final int SENT = 2;

  /** What all receivers of this process got and acked of one sender's messages. */
  static final int RECEIVED = 3;

  /** Deliveries that no sender of this run can have made, of one receiver. */
  static final int ODD = 4;

  /** Something that happened to the run, by name. */
  static final int MARK = 5;

  /** All that was recorded before a point in time stands above. */
  static final int CUT = 6;

  /** A cut, after which nothing was recorded. */
  static final int END = 7;

  /** What the run is held to, from here on. */
  static final int EXPECTED = 8;

  // In EXPECTED.

  static final int ORDER_PER_SENDER = 1;
  static final int FAULTS = 2;
  static final int REDELIVERY = 4;

  // Kinds of events: the three highest bits of an event's first byte. First in SENT.

  static final int ATTEMPTED = 0;
  static final int CONFIRMED = 1;
  static final int REJECTED = 2;
  static final int UNKNOWN = 3;

  // In RECEIVED.

  /** Given to ack; whether it succeeds is not known yet. */
  static final int GIVEN = 0;

  static final int ACK_FAILED = 1;

  /** From here on the first receiver is not the only one. */
  static final int SHARED = 2;

  static final int DELIVERED = 4;
  static final int ACKED = 5;

  /** The receiver of the events that follow. */
  static final int RECEIVER = 7;

  static final int KINDS = 8;
  static final int KIND_SHIFT = 5;

  /**
   * Set in an event's first byte if a difference from where the last one of its kind ended follows.
   */
  static final int ELSEWHERE = 0x10;

  /** The lowest bits of an event's first byte: its count less one, or this if it follows. */
  static final int COUNT_FOLLOWS = 0x0f;

  // Events in ODD.

  static final int CORRUPT = 0;
  static final int FOREIGN = 1;
  static final int GAVE_BACK = 2;

  // What was last said when a verdict was asked for, in CUT and END.

  static final int NOT_JUDGED = 0;
  static final int NOT_DRAINED = 1;
  static final int DRAINED = 2;

  /** A chunk is never longer; a longer one is damage. */
  static final int MOST_CHUNK_BYTES = 1 << 20;

  /** Receivers of one process; a higher number is damage. */
  static final int MOST_RECEIVERS = 1 << 20;

  private HistoryFormat() {}
}
