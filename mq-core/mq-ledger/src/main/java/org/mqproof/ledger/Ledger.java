package org.mqproof.ledger;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToLongFunction;

/**
 * The record of one run: every message that any sender attempted and any receiver got.
 *
 * <p>Thread-safe, without a global lock: what is recorded of different senders never waits for each
 * other.
 */
public final class Ledger {

  /** Length of a stamp, and so the smallest body that can be stamped. */
  public static final int STAMP_BYTES = Stamp.BYTES;

  private final int run;
  private final Map<Integer, SenderLog> senders = new ConcurrentHashMap<>();
  private final List<ReceiverLog> receivers = new CopyOnWriteArrayList<>();

  /** Starts the record of a new run, with a random run number. */
  public Ledger() {
    this(ThreadLocalRandom.current().nextInt());
  }

  /**
   * Starts a record of a run that other processes take part in.
   *
   * @param run the run's number, which every stamp carries
   */
  public Ledger(int run) {
    this.run = run;
  }

  /**
   * The run's number.
   *
   * @return what every stamp of this run carries
   */
  public int run() {
    return run;
  }

  /**
   * The log of one sender, made at the first call.
   *
   * @param sender the sender's number, from 0
   * @return the same log at every call with this number
   * @throws IllegalArgumentException if the number is negative
   */
  public SenderLog sender(int sender) {
    if (sender < 0) {
      throw new IllegalArgumentException("a sender's number is at least 0, was " + sender);
    }
    return senders.computeIfAbsent(sender, number -> new SenderLog(run, number));
  }

  /**
   * A log for one more receiver.
   *
   * @return a new log
   */
  public ReceiverLog newReceiver() {
    ReceiverLog log = new ReceiverLog(this);
    receivers.add(log);
    return log;
  }

  /**
   * Messages attempted so far. Takes no lock.
   *
   * @return how many
   */
  public long attempted() {
    return sum(SenderLog::attemptedCount);
  }

  /**
   * Messages delivered at least once so far. Takes no lock.
   *
   * @return how many
   */
  public long delivered() {
    return sum(log -> log.receipts().deliveredCount());
  }

  /**
   * About how many deliveries are still to come: messages attempted, not rejected and not delivered
   * so far. Takes no lock. An estimate: unexpected deliveries make it too small, and what is
   * unknown may never come.
   *
   * @return how many, at least 0
   */
  public long outstanding() {
    return sum(SenderLog::outstanding);
  }

  /**
   * Whether every confirmed message was delivered at least once. Exact, per sender as of one
   * moment; holds up the logs of a sender while it is looked at.
   *
   * @return true also if nothing was confirmed
   */
  public boolean allConfirmedDelivered() {
    return senders.values().stream().allMatch(SenderLog::allConfirmedDelivered);
  }

  /**
   * What the run proved so far. While logs are still written, each sender is judged as of one
   * moment, but not all as of the same one; afterwards the verdict is exact. Holds up the logs of a
   * sender while it is judged.
   *
   * @param drained whether everything was received that was there
   * @return the verdict
   */
  public Verdict verdict(boolean drained) {
    Tally tally = new Tally(drained);
    senders.values().forEach(log -> log.addTo(tally));
    receivers.forEach(log -> log.addTo(tally));
    return tally.verdict();
  }

  /** Bytes held by the sets of sequence numbers. */
  long sizeInBytes() {
    return sum(SenderLog::sizeInBytes);
  }

  private long sum(ToLongFunction<SenderLog> count) {
    return senders.values().stream().mapToLong(count).sum();
  }
}
