package org.mqproof.jmh.trial;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.jmh.load.BuildUp;
import org.mqproof.jmh.load.Drain;
import org.mqproof.jmh.load.PacedSending;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.IntervalLogs;
import org.mqproof.jmh.measure.LiveMetrics;
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
 * <p>Thread-safe. Each of the trial's threads calls {@code begin} and {@code end} once per
 * iteration, and waits there for the others.
 */
public final class Trial {

  /** How long a receive waits before it looks whether the iteration is over. */
  public static final Duration RECEIVE_TIMEOUT = Window.RECEIVE_TIMEOUT;

  /** JMH gives a profiler no state of the benchmark: this is how it finds the trial. */
  private static volatile @Nullable Trial current;

  private final ForkOptions fork;
  private final TrialParams params;
  private final Identity identity;
  private final Leftovers leftovers;
  private final Mq mq;
  private final List<String> queues;
  private final @Nullable Ledger ledger;
  private final Timeline timeline = new Timeline(System.nanoTime());
  private final IntervalLogs logs;
  private final Traffic traffic;
  private final Backpressure backpressure;
  private final BuildUp buildUp;
  private final Window window;

  private final AtomicBoolean over = new AtomicBoolean();
  private volatile @Nullable Verdict verdict;
  private volatile @Nullable LiveMetrics metrics;

  /**
   * Which trial it is.
   *
   * @param benchmark the benchmark's full name as JMH has it
   * @param params its parameters as JMH has them
   * @param startedAtMillis wall clock, milliseconds since 1970
   */
  private record Identity(String benchmark, Map<String, String> params, long startedAtMillis) {

    String simpleName() {
      return benchmark.replaceAll("^.*\\.(\\w+)\\.\\w+$", "$1");
    }

    /** The name of its files. */
    String fileName(String system) {
      return simpleName() + "-" + system + "-" + Long.toString(startedAtMillis, 36);
    }

    TrialFile failed(@Nullable String why) {
      return TrialFile.failed(benchmark, params, startedAtMillis, why);
    }
  }

  private Trial(
      ForkOptions fork,
      TrialParams params,
      Identity identity,
      int threads,
      Leftovers leftovers,
      Mq mq,
      @Nullable Ledger ledger) {
    this.fork = fork;
    this.params = params;
    this.identity = identity;
    this.leftovers = leftovers;
    this.mq = mq;
    this.ledger = ledger;
    String stem = "mqproof-" + UUID.randomUUID().toString().substring(0, 8);
    queues =
        params.queues() == 1
            ? List.of(stem)
            : IntStream.range(0, params.queues()).mapToObj(i -> stem + "-" + i).toList();
    logs =
        new IntervalLogs(
            fork.directory(), identity.fileName(params.system()), System.currentTimeMillis());
    traffic = new Traffic(mq, queues, params, leftovers, ledger, timeline);
    backpressure = new Backpressure(traffic, params.backlog());
    buildUp =
        new BuildUp(params.buildUp(), traffic::submitted, traffic::received, System::nanoTime);
    window =
        new Window(
            threads,
            traffic,
            backpressure,
            leftovers,
            this::openReceiver,
            buildUp,
            timeline,
            logs,
            params.dropPercent() == 0 ? null : mq.traits().redeliveryBound());
  }

  /**
   * Connects and creates a queue.
   *
   * @param fork what this JVM was told
   * @param benchmark its full name as JMH has it
   * @param jmhParams its parameters as JMH has them
   * @param threads that will call {@code begin} and {@code end}
   * @param leftovers which sides of the queue are measured
   * @return a trial that runs
   * @throws IOException if its file cannot be written
   * @throws MqException if the system refuses
   */
  public static Trial start(
      ForkOptions fork,
      String benchmark,
      Map<String, String> jmhParams,
      int threads,
      Leftovers leftovers)
      throws IOException {
    TrialParams params = TrialParams.of(jmhParams);
    Identity identity = new Identity(benchmark, jmhParams, System.currentTimeMillis());
    String name = identity.fileName(params.system());
    identity.failed(null).write(fork.directory(), name);
    Ledger ledger = params.ledger() ? TrialHistory.ledger(name) : null;
    Mq mq;
    try {
      requireRoom(params);
      mq = MqProvider.named(params.system()).connect(fork.settings(params));
    } catch (MqException e) {
      identity.failed(e.getMessage()).write(fork.directory(), name);
      throw e;
    }
    if (ledger != null) {
      ledger.expect(Expectations.of(mq.traits()));
    }
    Trial trial = new Trial(fork, params, identity, threads, leftovers, mq, ledger);
    current = trial;
    trial.window.start();
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
    long messages = Math.max(params.backlog(), (long) params.prefill() + params.leadIn());
    long most = Runtime.getRuntime().maxMemory() / 2;
    if (Endpoints.inside(params.system()) && messages * params.bodyBytes() > most) {
      throw new MqException(
          "%s keeps messages in this JVM, and %d of %d bytes do not fit into half of its memory, %d MiB: lower bodyBytes, backlog or prefill, or give it more with -jvmArgs -Xmx..."
              .formatted(params.system(), messages, params.bodyBytes(), most >> 20));
    }
  }

  /**
   * The trial that runs in this JVM.
   *
   * @return null if none has started
   */
  public static @Nullable Trial current() {
    return current;
  }

  /** Opens a sender, with or without a window as the parameters say. */
  public Sending openSender() {
    return orAbort(traffic::openSender);
  }

  /** Opens a sender that sends by a schedule. */
  public PacedSending openPacedSender() {
    return orAbort(traffic::openPacedSender);
  }

  /** Opens a sender that fills the queue before a measurement: large batches, many under way. */
  public Sending openFiller() {
    return orAbort(traffic::openFiller);
  }

  /** Opens a receiver. */
  public Receiving openReceiver() {
    return orAbort(traffic::openReceiver);
  }

  /** What it was asked for. */
  public TrialParams params() {
    return params;
  }

  /** Holds senders back. */
  public Backpressure backpressure() {
    return backpressure;
  }

  /** Lets a backlog build up, if there is to be one. */
  public BuildUp buildUp() {
    return buildUp;
  }

  /**
   * Waits until every thread is ready; then the window opens.
   *
   * @param phase of the iteration
   * @param sending the thread's sender; null if it has none
   * @param receiving the thread's receiver; null if it has none
   * @throws InterruptedException if JMH gives up
   */
  public void begin(Timeline.Phase phase, @Nullable Sending sending, @Nullable Receiving receiving)
      throws InterruptedException {
    window.begin(phase, sending, receiving);
  }

  /** The same for a sender that sends by a schedule. */
  public void begin(Timeline.Phase phase, PacedSending one) throws InterruptedException {
    window.begin(phase, one.sending(), null);
    one.begin(phase, traffic.paced().size());
  }

  /**
   * Counts the iteration from now on: what came since it began is not part of it. For one thread of
   * the trial, before its {@code end}.
   */
  public void restart() {
    window.restart();
  }

  /**
   * Closes the window when every thread has come here, and puts everything in order.
   *
   * @param sending the thread's sender; null if it has none
   * @param receiving the thread's receiver; null if it has none
   * @throws InterruptedException if JMH gives up
   */
  public void end(@Nullable Sending sending, @Nullable Receiving receiving)
      throws InterruptedException {
    window.end(sending, receiving);
  }

  /** The same for a sender that sends by a schedule: first it sends what is overdue. */
  public void end(PacedSending one) throws InterruptedException {
    window.end(one);
  }

  /**
   * Empties the queue, judges, writes the trial's file, and cleans up.
   *
   * @throws IOException if the file cannot be written
   * @throws InterruptedException if JMH gives up
   */
  public void finish() throws IOException, InterruptedException {
    try {
      conclude();
    } catch (MqException | IllegalStateException e) {
      abort(e);
      throw e;
    }
  }

  private void conclude() throws IOException, InterruptedException {
    traffic.closeSenders();
    Ledger book = ledger;
    Drain drain = new Drain(book, traffic::left, mq.traits(), fork.drainBound(), fork.idle());
    boolean drained = false;
    if (book != null) {
      drained =
          drain.run(leftovers.measuresReceivers() ? traffic.receivers() : List.of(openReceiver()));
    }
    traffic.closeReceivers();
    if (book != null && drained) {
      drain.lookAgain(mq, book, queues);
    }
    timeline.close(logs);
    logs.close();
    window.stop();
    Verdict judged = book == null ? null : book.verdict(drained);
    verdict = judged;
    file(judged).write(fork.directory(), identity.fileName(params.system()));
    if (book != null) {
      book.close();
    }
    queues.forEach(mq::deleteQueue);
    mq.close();
    closeMetrics();
  }

  private TrialFile file(@Nullable Verdict judged) {
    Traits traits = mq.traits();
    return new TrialFile(
        identity.benchmark,
        identity.params,
        identity.startedAtMillis,
        true,
        null,
        new TrialFile.Setup(
            leftovers.measuresSenders() ? traffic.senders() : 0,
            leftovers.measuresReceivers() ? traffic.receivers().size() : 0,
            traits.mode(),
            DeclaredTraits.of(traits)),
        judged,
        ledger == null ? 0 : ledger.sizeInBytes(),
        new TrialFile.Latencies(
            timeline.measured(Timeline.Kind.SEND).encode(),
            timeline.measured(Timeline.Kind.PROCESSING).encode(),
            timeline.tails(),
            timeline.seconds()),
        window.measured(),
        traffic.failures(),
        traffic.paced().isEmpty() ? null : pace());
  }

  private TrialFile.Pace pace() {
    List<PacedSending> paced = traffic.paced();
    return new TrialFile.Pace(
        timeline.measured(Timeline.Kind.RESPONSE).encode(),
        timeline.measured(Timeline.Kind.LATENESS).encode(),
        paced.stream().mapToLong(PacedSending::begun).sum(),
        paced.stream().mapToLong(PacedSending::unsent).sum(),
        traffic.dropped(),
        buildUp.iterations(),
        buildUp.drained());
  }

  private LiveMetrics.Moment moment() {
    Timeline.Live live = timeline.live();
    return new LiveMetrics.Moment(
        Map.of("system", params.system(), "benchmark", identity.simpleName()),
        live.sent(),
        live.received(),
        backpressure.backlog(),
        traffic.failedSends(),
        window.isMeasuring(),
        live.times(),
        verdict);
  }

  private void closeMetrics() {
    LiveMetrics served = metrics;
    if (served != null) {
      served.close();
    }
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
   *
   * @param why the reason
   */
  public void abort(Throwable why) {
    window.cancel();
    if (!over.compareAndSet(false, true)) {
      return;
    }
    window.stop();
    closeMetrics();
    try {
      identity
          .failed(String.valueOf(why.getMessage()))
          .write(fork.directory(), identity.fileName(params.system()));
      queues.forEach(mq::deleteQueue);
      mq.close();
    } catch (IOException | MqException e) {
      why.addSuppressed(e);
    }
  }

  /**
   * The last iteration.
   *
   * @return null if it was not measured
   */
  public @Nullable Iteration lastIteration() {
    return window.lastIteration();
  }

  /**
   * The verdict, once the trial has ended.
   *
   * @return null before, and without a ledger
   */
  public @Nullable Verdict verdict() {
    return verdict;
  }
}
