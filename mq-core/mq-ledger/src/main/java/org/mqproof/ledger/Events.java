package org.mqproof.ledger;

import java.nio.ByteBuffer;

/** Reads the events that a {@link Track} wrote into one chunk. Not thread-safe. */
final class Events {

  private final ByteBuffer payload;
  private final int subject;
  private final long[] expected = new long[HistoryFormat.KINDS];
  private int kind;
  private long from;
  private long to;
  private int receiver = -1;

  Events(ByteBuffer payload) {
    this.payload = payload;
    subject = Math.toIntExact(HistoryFile.varint(payload));
    HistoryFile.varint(payload); // when the first of them was recorded: for other readers
  }

  /** The number of the sender, or of the receiver, that the events are about. */
  int subject() {
    return subject;
  }

  /** What is left of a chunk whose events are read otherwise. */
  ByteBuffer payload() {
    return payload;
  }

  /** Reads one event. Returns false if none is left. */
  boolean next() {
    while (payload.hasRemaining()) {
      int first = payload.get() & 0xff;
      kind = first >>> HistoryFormat.KIND_SHIFT;
      if (kind != HistoryFormat.RECEIVER) {
        readRun(first);
        return true;
      }
      receiver = Math.toIntExact(HistoryFile.varint(payload));
    }
    return false;
  }

  // As of the last event.

  int kind() {
    return kind;
  }

  /** The first sequence number. */
  long from() {
    return from;
  }

  /** One past the last sequence number. */
  long to() {
    return to;
  }

  /** How many there are. */
  int count() {
    return Math.toIntExact(to - from);
  }

  /** Whose event it is, where that is said. */
  int receiver() {
    return receiver;
  }

  private void readRun(int first) {
    from = expected[kind];
    if ((first & HistoryFormat.ELSEWHERE) != 0) {
      from += HistoryFile.signed(payload);
    }
    long count = 1L + (first & HistoryFormat.COUNT_FOLLOWS);
    if (count > HistoryFormat.COUNT_FOLLOWS) {
      count += HistoryFile.varint(payload);
    }
    to = Math.addExact(from, count);
    if (from < 0 || to <= from || to > SparseSet.LIMIT) {
      throw new IllegalArgumentException("no sequence numbers: %d to %d".formatted(from, to));
    }
    expected[kind] = to;
  }
}
