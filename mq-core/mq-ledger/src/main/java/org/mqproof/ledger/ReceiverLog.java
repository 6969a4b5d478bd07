package org.mqproof.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Receiver;

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

  /** Of the acks; read and written without a lock, for only what is final in it is used. */
  private @Nullable Source recent;

  private final Object oddLock = new Object();
  private long corrupt;
  private long foreign;
  private boolean gaveBack;
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
    int run = ledger.run();
    try {
      for (int i = 0; i < batch.size(); i++) { // an iterator would be the only allocation
        byte[] body = batch.get(i).message().body();
        if (!got.stamp.isIntact(body)) {
          addCorrupt(body);
        } else if (Stamp.run(body) != run) {
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
   * Gives deliveries to {@link Receiver#ack}, and records that and what becomes of it: all that a
   * ledger must know of acks. Allocates nothing per message.
   *
   * @param by the receiver that got them
   * @param deliveries deliveries that were recorded before, their bodies unchanged
   * @return completes as the future of the receiver does, when its outcome is recorded
   * @throws RuntimeException if {@code ack} throws it; the ack is recorded as failed
   */
  public CompletableFuture<Void> ack(Receiver by, Collection<? extends Delivery> deliveries) {
    CompletableFuture<Void> ack;
    try {
      ack = by.ack(deliveries);
    } catch (RuntimeException e) {
      givenToAck(deliveries);
      ackFailed(deliveries);
      throw e;
    }
    if (ack.isDone() && !ack.isCompletedExceptionally()) {
      acked(deliveries); // and so it was given: recording that as well would only cost
      return ack;
    }
    givenToAck(deliveries);
    return ack.whenComplete(
        (done, error) -> {
          if (error == null) {
            acked(deliveries);
          } else {
            ackFailed(deliveries);
          }
        });
  }

  /**
   * Records that these deliveries are given to {@link Receiver#ack}, whose outcome is not known
   * yet. Bodies that are not intact or not of this run are left out: it is not known which message
   * they were.
   *
   * @param deliveries deliveries that were recorded before, their bodies unchanged
   */
  public void givenToAck(Collection<? extends Delivery> deliveries) {
    settle(HistoryFormat.GIVEN, deliveries);
  }

  /**
   * Records that the ack of these deliveries has completed; so they were given to it.
   *
   * @param deliveries as those of {@link #givenToAck}
   */
  public void acked(Collection<? extends Delivery> deliveries) {
    settle(HistoryFormat.ACKED, deliveries);
  }

  /**
   * Records that the ack of these deliveries has failed: they may be settled or not.
   *
   * @param deliveries as those of {@link #givenToAck}
   */
  public void ackFailed(Collection<? extends Delivery> deliveries) {
    settle(HistoryFormat.ACK_FAILED, deliveries);
  }

  /**
   * Records that an ack elsewhere has completed.
   *
   * @param sender the sender's number
   * @param sequence the sequence number
   */
  public void acked(int sender, long sequence) {
    if (isPossible(sender, sequence)) {
      settle(HistoryFormat.ACKED, sender, sequence, sequence + 1);
    }
  }

  /** Records a run of one sender's messages whose acks came so far. */
  void settle(int kind, int sender, long from, long to) {
    synchronized (ackLock) {
      settled.kind = kind;
      settled.add(sender, from, to);
      settled.flush();
    }
  }

  /**
   * Records that this receiver is closed, or has failed, while others go on. What it held without
   * handing it out comes to them as a first delivery, out of order: from now on an order cannot be
   * judged.
   */
  public void gaveBack() {
    synchronized (oddLock) {
      gaveBack = true;
      Track history = track;
      if (history != null) {
        history.gaveBack();
      }
    }
  }

  private void settle(int kind, Collection<? extends Delivery> deliveries) {
    boolean anyCorrupt = ledger.anyCorrupt();
    if (!anyCorrupt && settledInOrder(kind, deliveries)) {
      return;
    }
    synchronized (ackLock) {
      settled.kind = kind;
      for (Delivery delivery : deliveries) {
        byte[] body = delivery.message().body();
        // The bodies were checked when they were delivered; once is enough if all were intact.
        if (anyCorrupt ? settled.stamp.isIntact(body) : Stamp.isMarked(body)) {
          int sender = Stamp.sender(body);
          long sequence = Stamp.sequence(body);
          if (Stamp.run(body) == ledger.run() && isPossible(sender, sequence)) {
            settled.add(sender, sequence, sequence + 1);
          }
        }
      }
      settled.flush();
    }
  }

  /**
   * Records deliveries without a lock, if they are one run of one sender's messages that continues
   * what was recorded, as most are.
   */
  private boolean settledInOrder(int kind, Collection<? extends Delivery> deliveries) {
    int run = ledger.run();
    int sender = -1;
    long from = -1;
    long to = -1;
    for (Delivery delivery : deliveries) {
      byte[] body = delivery.message().body();
      if (!Stamp.isMarked(body, run)) {
        return false;
      }
      if (from < 0) {
        sender = Stamp.sender(body);
        from = Stamp.sequence(body);
        to = from;
      }
      if (sender != Stamp.sender(body) || to != Stamp.sequence(body)) {
        return false;
      }
      to++;
    }
    return isPossible(sender, from)
        && isPossible(sender, to - 1)
        && receiptsOf(sender).settledInOrder(kind, from, to);
  }

  private Receipts receiptsOf(int sender) {
    Source source = recent;
    if (source == null || source.sender != sender) {
      source = new Source(sender, ledger.sender(sender).receipts());
      recent = source;
    }
    return source.receipts;
  }

  /** Adds the deliveries that no sender of this run can have made. */
  void addTo(Tally tally) {
    synchronized (oddLock) {
      tally.addOdd(corrupt, corruptExamples, foreign, foreignExamples);
      tally.addGaveBack(gaveBack);
    }
  }

  private void addDelivered(int sender, long sequence) {
    if (isPossible(sender, sequence)) {
      got.add(sender, sequence, sequence + 1);
    } else {
      addForeign(ledger.run(), sender, sequence);
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
    ledger.foundCorrupt();
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
    int kind;

    @Override
    void record(Source source) {
      source.receipts.settle(kind, receiver, source.bounds, source.used);
    }
  }
}
