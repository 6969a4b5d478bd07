package org.mqproof.jmh.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.BuildUp;
import org.mqproof.jmh.load.PacedSending;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.IntervalLogs;
import org.mqproof.jmh.measure.MachineTime;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.SchedulerLag;
import org.mqproof.jmh.measure.ThreadTimes;
import org.mqproof.jmh.measure.Timeline;

/**
 * The iterations of a trial, each a window that all threads open and close together: so nothing
 * runs while it opens or closes. An arrow is a barrier; what is in brackets the last thread does.
 *
 * <pre>
 * begin: each is ready -[open]-> JMH measures
 * end:   -[close]-> what is overdue is sent, its outcomes awaited -> what is left is received
 *        -[sum up]-> the next begin
 * </pre>
 *
 * <p>Thread-safe. Each of the trial's threads calls {@code begin} and {@code end} once per
 * iteration. When one fails, none waits for it.
 */
final class Window {

  /**
   * How long a receive waits before it looks whether the iteration is over. JMH lets all threads
   * wait for it then, and the window closes late: by 1 % of a second at most.
   */
  static final Duration RECEIVE_TIMEOUT = Duration.ofMillis(10);

  private final Traffic traffic;
  private final Backpressure backpressure;
  private final Leftovers leftovers;
  private final Supplier<Receiving> opener;
  private final BuildUp buildUp;
  private final Timeline timeline;
  private final IntervalLogs logs;
  private final SchedulerLag lag = new SchedulerLag(System::nanoTime);
  private final ThreadTimes threads = new ThreadTimes();

  /** What is not acked on purpose comes again within this time; null if all is acked. */
  private final @Nullable Duration redelivery;

  private final Phaser opening;
  private final Phaser closing;
  private final Phaser settled;
  private final Phaser ended;

  /** Paced senders that may have something overdue after the window. */
  private final AtomicInteger stillSending = new AtomicInteger();

  /** Set by the last thread at a barrier, read by the others after it. */
  private Timeline.Phase phase = Timeline.Phase.UNMEASURED;

  private Reading opened = Reading.NONE;
  private ProcessCost cost = ProcessCost.NONE;
  private MachineTime machine = MachineTime.NONE;
  private long messages;
  private long nanos;
  private long heldNanos;
  private final List<TrialFile.Counts> counts = new ArrayList<>();
  private volatile @Nullable Iteration lastIteration;
  private volatile boolean measuring;

  /** What the counters said when the window opened. */
  private record Reading(
      boolean measured,
      long nanos,
      ProcessCost cost,
      MachineTime machine,
      long submitted,
      long confirmed,
      long received,
      long acked,
      long heldNanos) {
    static final Reading NONE =
        new Reading(false, 0, ProcessCost.NONE, MachineTime.NONE, 0, 0, 0, 0, 0);
  }

  /**
   * Prepares.
   *
   * @param threads that will call {@code begin} and {@code end}
   * @param opener opens one more receiver where none is measured
   * @param redelivery within which dropped deliveries come again; null if none is dropped
   */
  Window(
      int threads,
      Traffic traffic,
      Backpressure backpressure,
      Leftovers leftovers,
      Supplier<Receiving> opener,
      BuildUp buildUp,
      Timeline timeline,
      IntervalLogs logs,
      @Nullable Duration redelivery) {
    this.traffic = traffic;
    this.backpressure = backpressure;
    this.leftovers = leftovers;
    this.opener = opener;
    this.buildUp = buildUp;
    this.timeline = timeline;
    this.logs = logs;
    this.redelivery = redelivery;
    opening = barrier(threads, this::open);
    closing = barrier(threads, this::close);
    settled = barrier(threads, () -> {});
    ended = barrier(threads, this::sumUp);
  }

  /** Starts to watch how late this JVM's threads are woken. */
  void start() {
    var unused = lag.start();
  }

  /** Waits until every thread is ready; then the window opens. */
  void begin(Timeline.Phase phase, @Nullable Sending sending, @Nullable Receiving receiving)
      throws InterruptedException {
    together(
        () -> {
          if (sending != null) {
            sending.begin(phase);
          }
          if (receiving != null) {
            receiving.begin(phase);
          }
          this.phase = phase; // all threads write the same
          await(opening);
        });
  }

  /** Closes the window when every thread has come here, and puts everything in order. */
  void end(@Nullable Sending sending, @Nullable Receiving receiving) throws InterruptedException {
    together(
        () -> {
          await(closing);
          if (receiving != null && leftovers.measuresBothSides()) {
            if (opened.measured) {
              receiving.begin(Timeline.Phase.TAIL);
            }
            while (stillSending.get() > 0) {
              var unused = receiving.receive(RECEIVE_TIMEOUT);
            }
          }
          settle(sending, receiving);
        });
  }

  /** The same for a sender that sends by a schedule: first it sends what is overdue. */
  void end(PacedSending one) throws InterruptedException {
    together(
        () -> {
          await(closing);
          try {
            one.sendOverdue();
          } finally {
            stillSending.decrementAndGet();
          }
          settle(one.sending(), null);
        });
  }

  private void settle(@Nullable Sending sending, @Nullable Receiving receiving)
      throws InterruptedException {
    if (sending != null) {
      sending.settle();
    }
    await(settled);
    if (receiving != null) {
      if (leftovers.measuresBothSides()) {
        if (redelivery != null) {
          receiving.giveBack();
        }
        receiveLeftovers(receiving);
      }
      receiving.flush();
    }
    await(ended);
  }

  private void open() {
    traffic.requireReceivers();
    measuring = phase == Timeline.Phase.MEASURED;
    buildUp.begin(measuring);
    lag.measure(measuring);
    read();
  }

  /**
   * Counts from now on: what was received since the window opened is not part of the iteration. For
   * one thread, before it comes to the end.
   */
  void restart() {
    read();
  }

  private void read() {
    threads.start();
    opened =
        new Reading(
            measuring,
            System.nanoTime(),
            ProcessCost.now(),
            MachineTime.now(),
            traffic.submitted(),
            traffic.confirmed(),
            traffic.received(),
            traffic.acked(),
            traffic.heldNanos());
  }

  private void close() {
    measuring = false;
    lag.measure(false);
    stillSending.set(traffic.paced().size());
    buildUp.end();
    long received = traffic.received() - opened.received;
    long confirmed = traffic.confirmed() - opened.confirmed;
    long moved = leftovers.measuresReceivers() ? received : traffic.submitted() - opened.submitted;
    long acked = traffic.acked() - opened.acked;
    long last = System.nanoTime();
    long lastAcked = last;
    if (!leftovers.measuresSenders() && received > 0) {
      // The last receives of an empty queue only wait: the last message ends the window, and acks
      // that are under way are awaited no longer than the receivers look for more.
      last = traffic.lastReceivedNanos();
      lastAcked = Math.max(last, traffic.lastAckedNanos());
    }
    ProcessCost used = ProcessCost.now().since(opened.cost);
    lastIteration = null;
    if (opened.measured) {
      cost = cost.plus(used);
      machine = machine.plus(MachineTime.now().since(opened.machine));
      threads.stop();
      messages += moved;
      nanos += last - opened.nanos;
      counts.add(
          new TrialFile.Counts(
              confirmed, received, last - opened.nanos, acked, lastAcked - opened.nanos));
      heldNanos += (traffic.heldNanos() - opened.heldNanos) / Math.max(1, traffic.senders());
      lastIteration = new Iteration(Map.of(), used, moved, last - opened.nanos);
    }
  }

  /** A second without a message, and the rest is left to the drain at the end. */
  private void receiveLeftovers(Receiving receiving) throws InterruptedException {
    // What was not acked on purpose may take the time that its claim lasts.
    Duration claim = redelivery == null ? Duration.ZERO : redelivery;
    long patience = claim.plusSeconds(1).toNanos();
    long idleSince = System.nanoTime();
    while (backpressure.backlog() > 0 && System.nanoTime() - idleSince < patience) {
      if (receiving.receive(RECEIVE_TIMEOUT) > 0) {
        idleSince = System.nanoTime();
      }
    }
  }

  private void sumUp() {
    if (leftovers.measuresBothSides()) {
      backpressure.writeOff(); // what did not come in a second
    } else if (!leftovers.measuresReceivers() && backpressure.isExceeded()) {
      Receiving receiving = opener.get();
      try {
        receiveLeftovers(receiving);
        receiving.flush();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        receiving.close();
      }
      backpressure.writeOff();
    }
    Map<Timeline.Kind, Distribution> times = timeline.close(logs);
    Iteration iteration = lastIteration;
    if (iteration != null) {
      lastIteration =
          new Iteration(times, iteration.cost(), iteration.messages(), iteration.nanos());
    }
  }

  /** Whether a measured iteration runs. */
  boolean isMeasuring() {
    return measuring;
  }

  /** The last iteration; null if it was not measured. */
  @Nullable Iteration lastIteration() {
    return lastIteration;
  }

  /** What all measured iterations gave; for the thread that ends the trial. */
  TrialFile.Measured measured() {
    return new TrialFile.Measured(
        cost,
        machine,
        threads.busiest(),
        lag.encode(),
        messages,
        nanos,
        List.copyOf(counts),
        heldNanos);
  }

  /** Ends all waits, and no thread watches any more. */
  void cancel() {
    List.of(opening, closing, settled, ended).forEach(Phaser::forceTermination);
  }

  /** No thread watches any more. */
  void stop() {
    lag.close();
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  /** A step of every thread. Nobody waits for one that fails in it. */
  private void together(Step step) throws InterruptedException {
    try {
      step.run();
    } catch (InterruptedException | RuntimeException | Error e) {
      cancel();
      throw e;
    }
  }

  private static void await(Phaser all) throws InterruptedException {
    if (all.awaitAdvanceInterruptibly(all.arrive()) < 0) {
      throw new IllegalStateException("another thread of the trial failed");
    }
  }

  /**
   * Where all threads of the trial wait for each other.
   *
   * @param last what the last one does before all go on
   */
  private static Phaser barrier(int threads, Runnable last) {
    return new Phaser(threads) {
      @Override
      protected boolean onAdvance(int number, int registered) {
        last.run();
        return false;
      }
    };
  }
}
