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
  private final Got got = new Got();

  private final Object ackLock = new Object();
  private final Settled settled = new Settled();

  private final Object oddLock = new Object();
  private long corrupt;
  private long foreign;
  private final Examples corruptExamples = new Examples("corrupt");
  private final Examples foreignExamples = new Examples("unexpected");

  ReceiverLog(Ledger ledger) {
    this.ledger = ledger;
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

  /** Adds the deliveries that no sender of this run can have made. */
  void addTo(Tally tally) {
    synchronized (oddLock) {
      tally.addOdd(corrupt, corruptExamples, foreign, foreignExamples);
    }
  }

  private void addDelivered(int sender, long sequence) {
    if (isPossible(sender, sequence)) {
      got.add(sender, sequence);
    } else {
      addForeign(ledger.run(), sender, sequence);
    }
  }

  private void addAcked(int sender, long sequence) {
    if (isPossible(sender, sequence)) {
      settled.add(sender, sequence);
    }
  }

  private static boolean isPossible(int sender, long sequence) {
    return sender >= 0 && sequence >= 0 && sequence < SparseSet.LIMIT;
  }

  private void addCorrupt(byte[] body) {
    synchronized (oddLock) {
      corrupt++;
      if (!corruptExamples.isFull()) {
        corruptExamples.add(
            body.length < Stamp.BYTES
                ? "a body of %d bytes, too short for a stamp".formatted(body.length)
                : "a body of %d bytes whose stamp reads run %d, sender %d, sequence %d"
                    .formatted(
                        body.length, Stamp.run(body), Stamp.sender(body), Stamp.sequence(body)));
      }
    }
  }

  private void addForeign(int run, int sender, long sequence) {
    synchronized (oddLock) {
      foreign++;
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

    void add(int sender, long sequence) {
      Source source = last;
      if (source == null || source.sender != sender) {
        source = sourceOf(sender);
        last = source;
      }
      int used = source.used;
      if (used > 0 && source.bounds[used - 1] == sequence) {
        source.bounds[used - 1] = sequence + 1;
        return;
      }
      if (used == source.bounds.length) {
        record(source);
        used = 0;
      } else if (used == 0) {
        waiting.add(source);
      }
      source.bounds[used] = sequence;
      source.bounds[used + 1] = sequence + 1;
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
      source.highest = source.receipts.delivered(source.bounds, source.used, source.highest);
    }
  }

  private final class Settled extends Collector {
    @Override
    void record(Source source) {
      source.receipts.acked(source.bounds, source.used);
    }
  }
}
