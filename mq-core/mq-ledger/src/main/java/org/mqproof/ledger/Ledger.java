package org.mqproof.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.mqproof.Ordering;

/**
 * The record of one run: every message that any sender attempted and any receiver got.
 *
 * <p>Thread-safe, without a global lock: what is recorded of different senders never waits for each
 * other.
 *
 * <p>A ledger made by {@link #recordedTo} or {@link #recordedIn} also writes a {@link History},
 * from which the verdict can be found again when this process is gone; any other needs no {@link
 * #close}.
 */
public final class Ledger implements AutoCloseable {

  /** Length of a stamp, and so the smallest body that can be stamped. */
  public static final int STAMP_BYTES = Stamp.BYTES;

  /** A file's name may have 255 bytes nearly everywhere. */
  private static final int MOST_NAME_CHARS = 200;

  private final int run;
  private final @Nullable HistoryWriter history;
  private final Map<Integer, SenderLog> senders = new ConcurrentHashMap<>();
  private final List<ReceiverLog> receivers = new CopyOnWriteArrayList<>();
  private final Object expectationsLock = new Object();
  private Expectations expected = Expectations.AT_LEAST_ONCE;
  private volatile boolean ordered;
  private volatile boolean corruptFound;
  private volatile boolean acksRecorded = true;

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
    this(run, null);
  }

  Ledger(int run, @Nullable HistoryWriter history) {
    this.run = run;
    this.history = history;
  }

  /**
   * Starts a record that is also written to a file.
   *
   * <p>The file is written by a thread of its own, five times a second: what was recorded more than
   * a second before this process was killed is there. A thread that records waits only if the disk
   * is so slow that 64 KiB of events of one sender are in hand; nothing is left out.
   *
   * @param file where to; it must not be there yet
   * @param run the run's number, which every stamp carries and every process of the run must use
   * @param name what ran, for whoever reads the history; at most 4 KiB
   * @return a ledger that is to be closed
   * @throws IOException if the file is there already or cannot be written
   */
  public static Ledger recordedTo(Path file, int run, String name) throws IOException {
    return new Ledger(run, HistoryWriter.open(file, run, name));
  }

  /**
   * Starts a record of a new run, with a random run number, that is also written to a file of its
   * own.
   *
   * @param directory where the file is made; created if it is not there
   * @param name what ran; the file's name is made of it
   * @return as {@link #recordedTo}
   * @throws IOException if the file cannot be written
   */
  public static Ledger recordedIn(Path directory, String name) throws IOException {
    int run = ThreadLocalRandom.current().nextInt();
    String words = name.replaceAll("[^A-Za-z0-9._-]+", "-");
    String start = words.substring(0, Math.min(MOST_NAME_CHARS, words.length()));
    String file = "%s-%08x.history".formatted(start, run);
    return recordedTo(Files.createDirectories(directory).resolve(file), run, name);
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
    return senders.computeIfAbsent(
        sender, number -> new SenderLog(run, number, () -> ordered, history));
  }

  /**
   * A log for one more receiver. To be called before the receiver is opened: what the first one
   * gets before the second log is made, it got as the only one.
   *
   * @return a new log
   */
  public ReceiverLog newReceiver() {
    synchronized (receivers) {
      ReceiverLog log = addReceiver();
      if (receivers.size() == 2) {
        senders.values().forEach(sender -> sender.receipts().shared());
      }
      return log;
    }
  }

  /** A log for one more receiver; it is not known whether the first one was alone until now. */
  ReceiverLog addReceiver() {
    synchronized (receivers) { // their numbers are their order
      ReceiverLog log = new ReceiverLog(this, receivers.size(), history);
      receivers.add(log);
      return log;
    }
  }

  /**
   * Says what the run is held to. Without it that is {@link Expectations#AT_LEAST_ONCE}.
   *
   * @param expectations replaces what was said before; a fault that struck stays one
   * @throws IllegalStateException if it names another order when something was delivered already
   */
  public void expect(Expectations expectations) {
    synchronized (expectationsLock) {
      if (expectations.order() != expected.order()) {
        if (delivered() > 0) {
          throw new IllegalStateException("an order is declared before the first delivery");
        }
        ordered = expectations.order() != Ordering.NONE;
      }
      expected = expected.faults() ? expectations.withFaults() : expectations;
      Expectations now = expected;
      ifRecorded(recorded -> recorded.expect(now));
    }
  }

  /**
   * Notes that a fault strikes now: the run is held to what holds with faults, and the history says
   * when.
   *
   * @param what for example {@code "leader killed"}; at most 4 KiB
   */
  public void fault(String what) {
    mark(what);
    synchronized (expectationsLock) {
      expect(expected.withFaults());
    }
  }

  /**
   * Notes in the history that something happened to the run now. Does nothing without a history. A
   * fault is told to {@link #fault}.
   *
   * @param what for example {@code "healed"}; at most 4 KiB
   */
  public void mark(String what) {
    ifRecorded(recorded -> recorded.mark(what));
  }

  /**
   * Messages attempted so far. May wait while a sender's log is judged.
   *
   * @return how many
   */
  public long attempted() {
    return sum(SenderLog::attemptedCount);
  }

  /**
   * Messages delivered at least once so far. May wait while a sender's log is judged.
   *
   * @return how many
   */
  public long delivered() {
    return sum(log -> log.receipts().deliveredCount());
  }

  /**
   * About how many deliveries are still to come: messages attempted, not rejected and not delivered
   * so far. May wait while a sender's log is judged. An estimate: unexpected deliveries make it too
   * small, and what is unknown may never come.
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
    ifRecorded(recorded -> recorded.judged(drained));
    Expectations held;
    synchronized (expectationsLock) {
      held = expected;
    }
    Tally tally = new Tally(drained, acksRecorded, held);
    senders.entrySet().stream() // in their order, so that a history gives the same examples
        .sorted(Map.Entry.comparingByKey())
        .forEach(sender -> sender.getValue().addTo(tally));
    receivers.forEach(log -> log.addTo(tally));
    return tally.verdict();
  }

  /**
   * Ends the history: all that was recorded is in the file, and that it is all. What is recorded
   * afterwards counts for this ledger and is not in the file. Does nothing without a history, or
   * when closed already.
   *
   * @throws IOException if the file could not be written, now or earlier
   */
  @Override
  public void close() throws IOException {
    HistoryWriter recorded = history;
    if (recorded != null) {
      recorded.close();
    }
  }

  private void ifRecorded(Consumer<HistoryWriter> step) {
    HistoryWriter recorded = history;
    if (recorded != null) {
      step.accept(recorded);
    }
  }

  /** From now on, bodies are checked again when they are acked. */
  void foundCorrupt() {
    corruptFound = true;
  }

  boolean anyCorrupt() {
    return corruptFound;
  }

  /**
   * For a run of which it is not known yet what it is held to: whatever may be asked is recorded.
   */
  void recordOrder() {
    ordered = true;
  }

  /** Says what a run that was recorded so is held to. */
  void judgeBy(Expectations expectations) {
    synchronized (expectationsLock) {
      expected = expectations;
    }
  }

  /** It is not known what was given to ack. */
  void acksNotRecorded() {
    acksRecorded = false;
  }

  /** The senders that attempted anything, or of which anything was delivered. */
  SortedSet<Integer> senders() {
    return new TreeSet<>(senders.keySet());
  }

  /**
   * Heap held by the sets of sequence numbers, which is what grows with the messages. To be called
   * when nothing is being recorded.
   *
   * @return bytes
   */
  public long sizeInBytes() {
    return sum(SenderLog::sizeInBytes);
  }

  private long sum(ToLongFunction<SenderLog> count) {
    return senders.values().stream().mapToLong(count).sum();
  }
}
