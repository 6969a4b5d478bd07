package org.mqproof.ledger;

import java.util.Arrays;

/**
 * Events of one log on their way to the history, in the order in which they were recorded.
 *
 * <p>Thread-safe: loggers append while the writer drains; its monitor is never held during I/O. A
 * logger waits only when the writer is so far behind that {@link #MOST_BYTES} are in hand: then it
 * is slowed down, because a history with a hole would prove nothing.
 */
final class Track {

  /** The most that one track holds in memory. */
  static final int MOST_BYTES = 1 << 16;

  /** From here on the writer need not wait for its next turn. */
  private static final int ENOUGH_BYTES = MOST_BYTES / 2;

  private static final int MOST_EVENT_BYTES = 2 + 3 * Bytes.MOST_VARINT_BYTES;

  private final HistoryWriter writer;
  private final int type;
  private final int subject;
  private final Bytes events = new Bytes();
  private final long[] expected = new long[HistoryFormat.KINDS];
  private int receiver = -1;
  private long firstMicros;
  private boolean abandoned;
  private boolean writerCalled;

  /**
   * Makes an empty track.
   *
   * @param type the type of its chunks
   * @param subject the number of the sender, or of the receiver, that the events are about
   */
  Track(HistoryWriter writer, int type, int subject) {
    this.writer = writer;
    this.type = type;
    this.subject = subject;
  }

  /** Appends an event of one of the kinds of {@link HistoryFormat#SENT}. */
  synchronized void sent(int kind, long from, long to) {
    if (from < to && makeRoom()) {
      addRun(kind, from, to);
    }
  }

  /** Appends events of one receiver and one kind, as bounds of runs. */
  synchronized void received(int kind, int by, long[] bounds, int used) {
    for (int i = 0; i < used && makeRoom(); i += 2) {
      if (receiver != by) {
        receiver = by;
        events.add(HistoryFormat.RECEIVER << HistoryFormat.KIND_SHIFT);
        events.addVarint(by);
      }
      addRun(kind, bounds[i], bounds[i + 1]);
    }
  }

  /** Appends that from now on more than one receiver is open. */
  synchronized void shared() {
    if (makeRoom()) {
      addRun(HistoryFormat.SHARED, 0, 1);
    }
  }

  /** Appends that the receiver gave back what it held. */
  synchronized void gaveBack() {
    if (makeRoom()) {
      events.add(HistoryFormat.GAVE_BACK);
    }
  }

  /** Appends a delivery of a body that is not as any ledger stamped it. */
  synchronized void corrupt(int bodyBytes, int run, int sender, long sequence) {
    if (makeRoom()) {
      events.add(HistoryFormat.CORRUPT);
      events.addVarint(bodyBytes);
      addStamp(run, sender, sequence);
    }
  }

  /** Appends a delivery of a message that this run cannot have. */
  synchronized void foreign(int run, int sender, long sequence) {
    if (makeRoom()) {
      events.add(HistoryFormat.FOREIGN);
      addStamp(run, sender, sequence);
    }
  }

  /** Moves what there is to the end of {@code out}, as a chunk. */
  synchronized void drainTo(Bytes out) {
    if (events.length() > 0) {
      int chunk = out.beginChunk(type);
      out.addVarint(subject);
      out.addVarint(firstMicros);
      out.addAll(events);
      out.endChunk(chunk);
      events.clear();
      Arrays.fill(expected, 0); // each chunk is read by itself
      receiver = -1;
      writerCalled = false;
      notifyAll();
    }
  }

  /** Takes no more events, and lets go of whoever waits to append one. */
  synchronized void abandon() {
    abandoned = true;
    events.clear();
    notifyAll();
  }

  private void addRun(int kind, long from, long to) {
    long count = to - from;
    int first = kind << HistoryFormat.KIND_SHIFT;
    first |= from == expected[kind] ? 0 : HistoryFormat.ELSEWHERE;
    first |= (int) Math.min(count - 1, HistoryFormat.COUNT_FOLLOWS);
    events.add(first);
    if (from != expected[kind]) {
      events.addSigned(from - expected[kind]);
    }
    if (count > HistoryFormat.COUNT_FOLLOWS) {
      events.addVarint(count - 1 - HistoryFormat.COUNT_FOLLOWS);
    }
    expected[kind] = to;
  }

  private void addStamp(int run, int sender, long sequence) {
    events.addInt(run);
    events.addInt(sender);
    events.addLong(sequence);
  }

  /** Waits until one more event has room. Returns false if it is not wanted any more. */
  private boolean makeRoom() {
    boolean interrupted = false;
    while (!abandoned && events.length() + MOST_EVENT_BYTES > MOST_BYTES) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true; // an event that happened must be recorded; the caller sees to the rest
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (events.length() == 0) {
      firstMicros = writer.micros();
    } else if (!writerCalled && events.length() > ENOUGH_BYTES) {
      writerCalled = true;
      writer.call();
    }
    return !abandoned;
  }
}
