package org.mqproof.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;

/**
 * What one receiver got and acked. Thread-safe; deliveries are recorded by one thread at a time,
 * acks by any.
 */
public final class ReceiverLog {

  private final Ledger ledger;
  private final int receiver;
  private final Got got = new Got();

  private final Object ackLock = new Object();
  private final Settled settled = new Settled();

  private final Object oddLock = new Object();
  private long corrupt;
  private long foreign;
  private final Examples corruptExamples = new Examples("corrupt");
  private final Examples foreignExamples = new Examples("unexpected");

  /** Appended to under the lock of what is odd. */
  private final @Nullable Track track;

  ReceiverLog(Ledger ledger, int receiver, @Nullable HistoryWriter history) {
    this.ledger = ledger;
    this.receiver = receiver;
    track = history == null ? null : history.oddOf(receiver);
  }

  /**
   * Checks and records deliveries. Allocates nothing per message.
   *
   * @param batch deliveries in the order in which they were received
   * @param sentAtNanos is given the stamped time of each intact message of this run, in order
   */
  public void delivered(List<Delivery> batch, LongConsumer sentAtNanos) {
    try {
      for (int i = 0; i < batch.size(); i++) { // an iterator would be the only allocation
        byte[] body = batch.get(i).message().body();
        if (!got.stamp.isIntact(body)) {
          addCorrupt(body);
        } else if (Stamp.run(body) != ledger.run()) {
          addForeign(Stamp.run(body), Stamp.sender(body), Stamp.sequence(body));
        } else {
          addDelivered(Stamp.sender(body), Stamp.sequence(body));
          sentAtNanos.accept(Stamp.timeNanos(body));
        }
      }
    } finally {
      got.flush();
    }
  }

  /**
   * Records a delivery that a receiver elsewhere got and found intact.
   *
   * @param sender the sender's number
   * @param sequence the sequence number
   */
  public void delivered(int sender, long sequence) {
    addDelivered(sender, sequence);
    got.flush();
  }

  /** Records a run of deliveries of one sender's messages. */
  void delivered(int sender, long from, long to) {
    got.add(sender, from, to);
    got.flush();
  }

  /**
   * Records that the ack of these deliveries has completed. Bodies that are not intact or not of
   * this run are left out: it is not known which message they were.
   *
   * @param deliveries deliveries that were recorded before, their bodies unchanged
   */
  public void acked(Collection<? extends Delivery> deliveries) {
    synchronized (ackLock) {
      for (Delivery delivery : deliveries) {
        byte[] body = delivery.message().body();
        if (settled.stamp.isIntact(body) && Stamp.run(body) == ledger.run()) {
          addAcked(Stamp.sender(body), Stamp.sequence(body));
        }
      }
      settled.flush();
    }
  }

  /**
   * Records that an ack elsewhere has completed.
   *
   * @param sender the sender's number
   * @param sequence the sequence number
   */
  public void acked(int sender, long sequence) {
    synchronized (ackLock) {
      addAcked(sender, sequence);
      settled.flush();
    }
  }

  /** Records a run of acks of one sender's messages. */
  void acked(int sender, long from, long to) {
    synchronized (ackLock) {
      settled.add(sender, from, to);
      settled.flush();
    }
  }

  /** Adds the deliveries that no sender of this run can have made. */
  void addTo(Tally tally) {
    synchronized (oddLock) {
      tally.addOdd(corrupt, corruptExamples, foreign, foreignExamples);
    }
  }

  private void addDelivered(int sender, long sequence) {
    if (isPossible(sender, sequence)) {
      got.add(sender, sequence, sequence + 1);
    } else {
      addForeign(ledger.run(), sender, sequence);
    }
  }

  private void addAcked(int sender, long sequence) {
    if (isPossible(sender, sequence)) {
      settled.add(sender, sequence, sequence + 1);
    }
  }

  private static boolean isPossible(int sender, long sequence) {
    return sender >= 0 && sequence >= 0 && sequence < SparseSet.LIMIT;
  }

  private void addCorrupt(byte[] body) {
    if (body.length < Stamp.BYTES) {
      addCorrupt(body.length, 0, 0, 0);
    } else {
      addCorrupt(body.length, Stamp.run(body), Stamp.sender(body), Stamp.sequence(body));
    }
  }

  /** Records a body that no ledger stamped, and what it has where a stamp would be. */
  void addCorrupt(int bodyBytes, int run, int sender, long sequence) {
    synchronized (oddLock) {
      corrupt++;
      Track history = track;
      if (history != null) {
        history.corrupt(bodyBytes, run, sender, sequence);
      }
      if (!corruptExamples.isFull()) {
        corruptExamples.add(
            bodyBytes < Stamp.BYTES
                ? "a body of %d bytes, too short for a stamp".formatted(bodyBytes)
                : "a body of %d bytes whose stamp reads run %d, sender %d, sequence %d"
                    .formatted(bodyBytes, run, sender, sequence));
      }
    }
  }

  /** Records a message that this run cannot have. */
  void addForeign(int run, int sender, long sequence) {
    synchronized (oddLock) {
      foreign++;
      Track history = track;
      if (history != null) {
        history.foreign(run, sender, sequence);
      }
      if (!foreignExamples.isFull()) {
        foreignExamples.add(
            "run %d sender %d sequence %d (never attempted in run %d)"
                .formatted(run, sender, sequence, ledger.run()));
      }
    }
  }

  /** The deliveries from one sender that are yet to be recorded, as runs of neighbours. */
  private static final class Source {
    private static final int MOST_RUNS = 32;

    final int sender;
    final Receipts receipts;
    final long[] bounds = new long[2 * MOST_RUNS];
    int used;
    long highest = -1;

    Source(int sender, Receipts receipts) {
      this.sender = sender;
      this.receipts = receipts;
    }
  }

  /**
   * Collects what belongs together, so that a batch takes a sender's lock once and not once per
   * message. One thread at a time.
   */
  private abstract class Collector {
    final Stamp stamp = new Stamp();
    private final Map<Integer, Source> sources = new HashMap<>();
    private final List<Source> waiting = new ArrayList<>();
    private @Nullable Source last;

    void add(int sender, long from, long to) {
      Source source = last;
      if (source == null || source.sender != sender) {
        source = sourceOf(sender);
        last = source;
      }
      int used = source.used;
      if (used > 0 && source.bounds[used - 1] == from) {
        source.bounds[used - 1] = to;
        return;
      }
      if (used == source.bounds.length) {
        record(source);
        used = 0;
      } else if (used == 0) {
        waiting.add(source);
      }
      source.bounds[used] = from;
      source.bounds[used + 1] = to;
      source.used = used + 2;
    }

    void flush() {
      for (int i = 0; i < waiting.size(); i++) {
        Source source = waiting.get(i);
        record(source);
        source.used = 0;
      }
      waiting.clear();
    }

    abstract void record(Source source);

    private Source sourceOf(int sender) {
      Source source = sources.get(sender);
      if (source == null) {
        source = new Source(sender, ledger.sender(sender).receipts());
        sources.put(sender, source);
      }
      return source;
    }
  }

  private final class Got extends Collector {
    @Override
    void record(Source source) {
      source.highest =
          source.receipts.delivered(receiver, source.bounds, source.used, source.highest);
    }
  }

  private final class Settled extends Collector {
    @Override
    void record(Source source) {
      source.receipts.acked(receiver, source.bounds, source.used);
    }
  }
}
