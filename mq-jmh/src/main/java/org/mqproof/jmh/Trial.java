package org.mqproof.jmh;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.jmh.load.BatchSizes;
import org.mqproof.jmh.load.BuildUp;
import org.mqproof.jmh.load.Drain;
import org.mqproof.jmh.load.PacedSending;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Schedule;
import org.mqproof.jmh.load.SendTimes;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.IntervalLogs;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.LiveMetrics;
import org.mqproof.jmh.measure.MachineTime;
import org.mqproof.jmh.measure.NanoClock;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.SchedulerLag;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.systems.Endpoints;
import org.mqproof.jmh.systems.ForkOptions;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.spi.MqProvider;

/**
 * One trial: a connection, a fresh queue, a ledger, and the senders and receivers of all threads.
 *
 * <p>Thread-safe. Each of the trial's threads calls {@link #begin} and {@link #end} once per
 * iteration, and waits there for the others: so nothing runs while the window opens or closes.
 */
final class Trial {

  /** How long a receive waits before it looks whether the iteration is over. */
  static final Duration RECEIVE_TIMEOUT = Duration.ofMillis(100);

  private static volatile @Nullable Trial current;

  private final ForkOptions fork;
  private final TrialParams params;
  private final String benchmark;
  private final Map<String, String> jmhParams;
  private final String name;
  private final long startedAtMillis;
  private final Mq mq;
  private final List<String> queues;
  private final @Nullable Ledger ledger;
  private final Timeline timeline = new Timeline(System.nanoTime());
  private final IntervalLogs logs;
  private final BuildUp buildUp;
  private final SchedulerLag lag = new SchedulerLag(System::nanoTime);

  private final AtomicBoolean over = new AtomicBoolean();
  private final List<Sending> senders = new CopyOnWriteArrayList<>();
  private final List<PacedSending> paced = new CopyOnWriteArrayList<>();

  /** Paced senders that may have something overdue after the window. */
  private final AtomicInteger stillSending = new AtomicInteger();

  private final List<Receiving> receivers = new CopyOnWriteArrayList<>();
  private final Phaser opening;
  private final Phaser closing;
  private final Phaser settled;
  private final Phaser ended;
  private final List<Phaser> waits;

  /** Set by the last thread at a barrier, read by the others after it. */
  private Timeline.Phase phase = Timeline.Phase.UNMEASURED;

  private Window window = Window.NONE;
  private long writtenOff;
  private ProcessCost cost = ProcessCost.NONE;
  private MachineTime machine = MachineTime.NONE;
  private long costMessages;
  private long measuredNanos;
  private final List<TrialFile.Counts> counts = new ArrayList<>();
  private long heldNanos;
  private volatile @Nullable Iteration lastIteration;
  private volatile @Nullable Verdict verdict;
  private volatile boolean measuring;
  private volatile @Nullable LiveMetrics metrics;

  /** What the benchmark leaves to be emptied, and when. */
  enum Leftovers {
    /** Receivers run: they empty the queue when the window has closed, and what comes counts. */
    RECEIVED,
    /** Nobody receives: the queue is emptied when it holds more than the backlog. */
    EMPTIED,
    /** The queue was filled before, and is left as it is. */
    LEFT
  }

  private final Leftovers leftovers;

  private record Window(
      boolean measured,
      long nanos,
      ProcessCost cost,
      MachineTime machine,
      long submitted,
      long confirmed,
      long received,
      long held) {
    static final Window NONE = new Window(false, 0, ProcessCost.NONE, MachineTime.NONE, 0, 0, 0, 0);
  }

  /**
   * What one measured iteration gave.
   *
   * @param times by kind
   * @param cost what the process used
   * @param messages sent, or received where there are receivers
   * @param nanos from the start of the window to the last message
   */
  record Iteration(
      Map<Timeline.Kind, Distribution> times, ProcessCost cost, long messages, long nanos) {}

  private Trial(
      ForkOptions fork,
      TrialParams params,
      String benchmark,
      Map<String, String> jmhParams,
      int threads,
      Leftovers leftovers,
      String name,
      long startedAtMillis,
      Mq mq,
      @Nullable Ledger ledger) {
    this.fork = fork;
    this.params = params;
    this.benchmark = benchmark;
    this.jmhParams = jmhParams;
    this.leftovers = leftovers;
    this.name = name;
    this.startedAtMillis = startedAtMillis;
    this.mq = mq;
    String stem = "mqproof-" + UUID.randomUUID().toString().substring(0, 8);
    queues =
        params.queues() == 1
            ? List.of(stem)
            : IntStream.range(0, params.queues()).mapToObj(i -> stem + "-" + i).toList();
    buildUp = new BuildUp(params.buildUp(), this::submitted, this::received, System::nanoTime);
    this.ledger = ledger;
    logs = new IntervalLogs(fork.directory(), name, System.currentTimeMillis());
    opening = wait(threads, this::openWindow);
    closing = wait(threads, this::closeWindow);
    settled = wait(threads, () -> {});
    ended = wait(threads, this::endIteration);
    waits = List.of(opening, closing, settled, ended);
  }

  /**
   * Connects and creates a queue.
   *
   * @param threads that will call {@link #begin} and {@link #end}
   */
  static Trial start(
      ForkOptions fork,
      TrialParams params,
      String benchmark,
      Map<String, String> jmhParams,
      int threads,
      Leftovers leftovers)
      throws IOException {
    long startedAtMillis = System.currentTimeMillis();
    String simpleName = benchmark.replaceAll("^.*\\.(\\w+)\\.\\w+$", "$1");
    String name = simpleName + "-" + params.system() + "-" + Long.toString(startedAtMillis, 36);
    TrialFile.started(benchmark, jmhParams, startedAtMillis).write(fork.directory(), name);
    Ledger ledger = params.ledger() ? TrialHistory.ledger(name) : null;
    Mq mq;
    try {
      requireRoom(params);
      mq = MqProvider.named(params.system()).connect(fork.settings(params));
    } catch (MqException e) {
      TrialFile.failed(benchmark, jmhParams, startedAtMillis, e.getMessage())
          .write(fork.directory(), name);
      throw e;
    }
    if (ledger != null) {
      ledger.expect(Expectations.of(mq.traits()));
    }
    Trial trial =
        new Trial(
            fork,
            params,
            benchmark,
            jmhParams,
            threads,
            leftovers,
            name,
            startedAtMillis,
            mq,
            ledger);
    current = trial;
    var unused = trial.lag.start();
    trial.metrics = LiveMetrics.at(LiveMetrics.asked(), trial::moment);
    trial.orAbort(
        () -> {
          trial.queues.forEach(mq::createQueue);
          return trial.queues;
        });
    return trial;
  }

  /**
   * A queue inside this JVM that fills its memory collects garbage for ever and measures nothing.
   */
  private static void requireRoom(TrialParams params) {
    long messages = Math.max(params.backlog(), params.prefill());
    long most = Runtime.getRuntime().maxMemory() / 2;
    if (Endpoints.inside(params.system()) && messages * params.bodyBytes() > most) {
      throw new MqException(
          "%s keeps messages in this JVM, and %d of %d bytes do not fit into half of its memory, %d MiB: lower bodyBytes, backlog or prefill, or give it more with -jvmArgs -Xmx..."
              .formatted(params.system(), messages, params.bodyBytes(), most >> 20));
    }
  }

  /** The trial that runs in this JVM; null if none has started. */
  static @Nullable Trial current() {
    return current;
  }

  TrialParams params() {
    return params;
  }

  /** Opens a sender, with or without a window as the parameters say. */
  Sending openSender() {
    return orAbort(() -> openSender(params.batch(), params.async() ? params.window() : 0, false));
  }

  /** Opens a sender that sends by a schedule. */
  synchronized PacedSending openPacedSender() {
    int number = senders.size();
    Sending sending =
        orAbort(() -> openSender(params.batch(), params.async() ? params.window() : 0, true));
    PacedSending one =
        new PacedSending(
            sending,
            new Schedule(params.arrivals(), params.rate(), params.batch(), number),
            new LatencyRecorder(timeline, Timeline.Kind.LATENESS),
            NanoClock::system);
    paced.add(one);
    return one;
  }

  /** Opens a sender that fills the queue before a measurement: large batches, many under way. */
  Sending openFiller() {
    return orAbort(() -> openSender(new BatchSizes(100, 100), 64, false));
  }

  private synchronized Sending openSender(BatchSizes batch, int window, boolean scheduled) {
    int number = senders.size();
    SendTimes times =
        new SendTimes(
            new LatencyRecorder(timeline, Timeline.Kind.SEND),
            scheduled ? new LatencyRecorder(timeline, Timeline.Kind.RESPONSE) : null);
    var log = ledger == null ? null : ledger.sender(number);
    Sending sending =
        Sending.open(mq, queue(number), log, number, batch, params.bodyBytes(), window, times);
    senders.add(sending);
    return sending;
  }

  /** Senders and receivers are dealt out to the queues in turn. */
  private String queue(int number) {
    return queues.get(number % queues.size());
  }

  synchronized Receiving openReceiver() {
    String queue = queue(receivers.size());
    var log = ledger == null ? null : ledger.newReceiver();
    LatencyRecorder recorder = new LatencyRecorder(timeline, Timeline.Kind.PROCESSING);
    Receiving receiving =
        orAbort(
            () ->
                new Receiving(
                    () -> mq.receiver(queue),
                    log,
                    params.receiveMax(),
                    leftovers == Leftovers.RECEIVED,
                    TimeUnit.MICROSECONDS.toNanos(params.workMicros()),
                    params.awaitAcks(),
                    params.dropPercent() / 100.0,
                    recorder));
    receivers.add(receiving);
    return receiving;
  }

  /** Messages handed to senders, not known to have failed, and not received yet. */
  long backlog() {
    return left() - writtenOff;
  }

  /**
   * Messages that one sender may send before it has to ask again.
   *
   * @return 0 or less if it has to wait
   */
  long allowance() {
    long backlog = backlog();
    return backlog <= 0 ? Math.max(1, share(0)) : share(backlog);
  }

  /** Whether a sender that had to wait goes on. */
  boolean backlogIsHalved() {
    return backlog() <= params.backlog() / 2;
  }

  private long share(long backlog) {
    return (params.backlog() - backlog) / senders.size();
  }

  private long submitted() {
    long sum = 0;
    for (Sending sending : senders) {
      sum += sending.submitted();
    }
    return sum;
  }

  private long confirmed() {
    return senders.stream().mapToLong(Sending::confirmed).sum();
  }

  private long received() {
    long sum = 0;
    for (Receiving receiving : receivers) {
      sum += receiving.received();
    }
    return sum;
  }

  private long held() {
    return senders.stream().mapToLong(Sending::heldNanos).sum();
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

  /** The same for a sender that sends by a schedule. */
  void begin(Timeline.Phase phase, PacedSending one) throws InterruptedException {
    begin(phase, one.sending(), null);
    one.begin(phase, paced.size());
  }

  private void openWindow() {
    if (!paced.isEmpty() && receivers.size() < queues.size()) {
      throw new IllegalStateException(
          "%d receivers cannot empty %d queues; add -tg SENDERS,RECEIVERS"
              .formatted(receivers.size(), queues.size()));
    }
    buildUp.begin(phase == Timeline.Phase.MEASURED);
    measuring = phase == Timeline.Phase.MEASURED;
    lag.measure(measuring);
    window =
        new Window(
            phase == Timeline.Phase.MEASURED,
            System.nanoTime(),
            ProcessCost.now(),
            MachineTime.now(),
            submitted(),
            confirmed(),
            received(),
            held());
  }

  /** Closes the window when every thread has come here, and puts everything in order. */
  void end(@Nullable Sending sending, @Nullable Receiving receiving) throws InterruptedException {
    together(
        () -> {
          await(closing);
          if (receiving != null && leftovers == Leftovers.RECEIVED) {
            if (window.measured) {
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
      if (leftovers == Leftovers.RECEIVED) {
        if (params.dropPercent() > 0) {
          receiving.giveBack();
        }
        receiveRest(receiving);
      }
      receiving.flush();
    }
    await(ended);
  }

  private void closeWindow() {
    measuring = false;
    lag.measure(false);
    stillSending.set(paced.size());
    buildUp.end();
    long received = received() - window.received;
    long confirmed = confirmed() - window.confirmed;
    long messages = received;
    long last = System.nanoTime();
    if (leftovers == Leftovers.LEFT && messages > 0) {
      // The last receives of an empty queue only wait: the last message ends the window.
      last = receivers.stream().mapToLong(Receiving::lastReceivedNanos).max().orElseThrow();
    } else if (leftovers == Leftovers.EMPTIED) {
      messages = submitted() - window.submitted;
    }
    ProcessCost used = ProcessCost.now().since(window.cost);
    lastIteration = null;
    if (window.measured) {
      cost = cost.plus(used);
      machine = machine.plus(MachineTime.now().since(window.machine));
      costMessages += messages;
      measuredNanos += last - window.nanos;
      counts.add(new TrialFile.Counts(confirmed, received, last - window.nanos));
      heldNanos += (held() - window.held) / Math.max(1, senders.size());
      lastIteration = new Iteration(Map.of(), used, messages, last - window.nanos);
    }
  }

  /** A second without a message, and the rest is left to the drain at the end. */
  private void receiveRest(Receiving receiving) throws InterruptedException {
    // What was not acked on purpose may take the time that its claim lasts.
    Duration claim = params.dropPercent() == 0 ? Duration.ZERO : mq.traits().redeliveryBound();
    long patience = claim.plusSeconds(1).toNanos();
    long idleSince = System.nanoTime();
    while (backlog() > 0 && System.nanoTime() - idleSince < patience) {
      if (receiving.receive(RECEIVE_TIMEOUT) > 0) {
        idleSince = System.nanoTime();
      }
    }
  }

  private void endIteration() {
    if (leftovers == Leftovers.EMPTIED && backlog() > params.backlog()) {
      Receiving receiving = openReceiver();
      try {
        receiveRest(receiving);
        receiving.flush();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        receiving.close();
      }
      writtenOff += backlog();
    } else if (leftovers == Leftovers.RECEIVED) {
      // What did not come in a second may be lost, and must not hold the senders back for ever.
      writtenOff += backlog();
    }
    Map<Timeline.Kind, Distribution> times = timeline.close(logs);
    Iteration iteration = lastIteration;
    if (iteration != null) {
      lastIteration = new Iteration(times, iteration.cost, iteration.messages, iteration.nanos);
    }
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  /** A step of every thread. Nobody waits for one that fails in it. */
  private void together(Step step) throws InterruptedException {
    try {
      step.run();
    } catch (InterruptedException | RuntimeException | Error e) {
      endAllWaits();
      throw e;
    }
  }

  private static void await(Phaser all) throws InterruptedException {
    if (all.awaitAdvanceInterruptibly(all.arrive()) < 0) {
      throw new IllegalStateException("another thread of the trial failed");
    }
  }

  private void endAllWaits() {
    waits.forEach(Phaser::forceTermination);
  }

  /**
   * Where all threads of the trial wait for each other.
   *
   * @param last what the last one does before all go on
   */
  private static Phaser wait(int threads, Runnable last) {
    return new Phaser(threads) {
      @Override
      protected boolean onAdvance(int number, int registered) {
        last.run();
        return false;
      }
    };
  }

  /** Empties the queue, judges, writes the trial's file, and cleans up. */
  void finish() throws IOException, InterruptedException {
    try {
      conclude();
    } catch (MqException | IllegalStateException e) {
      abort(e);
      throw e;
    }
  }

  private void conclude() throws IOException, InterruptedException {
    paced.forEach(PacedSending::giveUp);
    for (Sending sending : senders) {
      sending.settle();
      sending.close();
    }
    Ledger book = ledger;
    Drain drain = new Drain(book, this::left, mq.traits(), fork.drainBound(), fork.idle());
    boolean drained = false;
    if (book != null) {
      List<Receiving> open = leftovers == Leftovers.EMPTIED ? List.of(openReceiver()) : receivers;
      drained = drain.run(open);
    }
    for (Receiving receiving : receivers) {
      receiving.close(); // completes the acks
      receiving.flush();
    }
    if (book != null && drained) {
      drain.lookAgain(mq, book, queues);
    }
    timeline.close(logs);
    logs.close();
    lag.close();
    Verdict judged = book == null ? null : book.verdict(drained);
    verdict = judged;
    Traits traits = mq.traits();
    new TrialFile(
            benchmark,
            jmhParams,
            startedAtMillis,
            true,
            null,
            leftovers == Leftovers.LEFT ? 0 : senders.size(),
            leftovers == Leftovers.EMPTIED ? 0 : receivers.size(),
            traits.mode(),
            DeclaredTraits.of(traits),
            judged,
            timeline.measured(Timeline.Kind.SEND).encode(),
            timeline.measured(Timeline.Kind.PROCESSING).encode(),
            timeline.tails(),
            timeline.seconds(),
            cost,
            machine,
            lag.encode(),
            costMessages,
            measuredNanos,
            List.copyOf(counts),
            heldNanos,
            senders.stream().mapToLong(Sending::failed).sum(),
            senders.stream()
                .map(Sending::lastFailure)
                .filter(Objects::nonNull)
                .findAny()
                .orElse(null),
            receivers.stream().mapToLong(Receiving::failedReceives).sum(),
            receivers.stream().mapToLong(Receiving::failedAcks).sum(),
            paced.isEmpty() ? null : pace())
        .write(fork.directory(), name);
    if (book != null) {
      book.close();
    }
    queues.forEach(mq::deleteQueue);
    mq.close();
    LiveMetrics served = metrics;
    if (served != null) {
      served.close();
    }
  }

  private LiveMetrics.Moment moment() {
    Timeline.Live live = timeline.live();
    return new LiveMetrics.Moment(
        Map.of(
            "system",
            params.system(),
            "benchmark",
            benchmark.replaceAll("^.*\\.(\\w+)\\.\\w+$", "$1")),
        live.sent(),
        live.received(),
        backlog(),
        senders.stream().mapToLong(Sending::failed).sum(),
        measuring,
        live.times(),
        verdict);
  }

  private TrialFile.Pace pace() {
    return new TrialFile.Pace(
        timeline.measured(Timeline.Kind.RESPONSE).encode(),
        timeline.measured(Timeline.Kind.LATENESS).encode(),
        paced.stream().mapToLong(PacedSending::begun).sum(),
        paced.stream().mapToLong(PacedSending::unsent).sum(),
        dropped(),
        buildUp.iterations(),
        buildUp.drained());
  }

  /** Messages that are still to come, whatever was written off. */
  private long left() {
    return submitted() - received() + dropped();
  }

  /** Deliveries that have to come again, as nobody acked them. */
  private long dropped() {
    long sum = 0;
    for (Receiving receiving : receivers) {
      sum += receiving.dropped();
    }
    return sum;
  }

  /** Lets a backlog build up, if there is to be one. */
  BuildUp buildUp() {
    return buildUp;
  }

  private <T> T orAbort(Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException | Error e) { // out of memory too: others must not wait for this one
      abort(e);
      throw e;
    }
  }

  /**
   * Says in the trial's file why there will be no result, and cleans up as far as that goes. The
   * first reason counts: what other threads run into then follows from it.
   */
  void abort(Throwable why) {
    endAllWaits();
    if (!over.compareAndSet(false, true)) {
      return;
    }
    lag.close();
    LiveMetrics served = metrics;
    if (served != null) {
      served.close();
    }
    try {
      TrialFile.failed(benchmark, jmhParams, startedAtMillis, String.valueOf(why.getMessage()))
          .write(fork.directory(), name);
      queues.forEach(mq::deleteQueue);
      mq.close();
    } catch (IOException | MqException e) {
      why.addSuppressed(e);
    }
  }

  /** The last iteration, if it was measured. */
  @Nullable Iteration lastIteration() {
    return lastIteration;
  }

  /** The verdict, once the trial has ended. */
  @Nullable Verdict verdict() {
    return verdict;
  }

  Path directory() {
    return fork.directory();
  }
}
