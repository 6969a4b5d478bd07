package org.mqproof.jmh.nodes;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.SendTimes;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.LiveMetrics;
import org.mqproof.jmh.measure.Machine;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.measure.WallClock;
import org.mqproof.jmh.systems.PublishedSettings;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Ledger;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Environment;
import org.mqproof.report.Second;
import org.mqproof.spi.MqProvider;

/**
 * One node of a run on several machines: sends or receives from the agreed start on, and leaves its
 * history and its {@link NodeFile}. For one thread, once.
 */
public final class NodeRun {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Longer than a machine takes to get ready, and short enough for one that was forgotten. */
  private static final Duration AGREEMENT = Duration.ofMinutes(15);

  private final NodeArgs args;
  private final TrialParams params;
  private final PrintStream out;
  private final WallClock clock;
  private final @Nullable ClockOffset before;
  private final long startNanos;
  private final long measureNanos;
  private final long endNanos;
  private final Timeline timeline;
  private final AtomicBoolean over = new AtomicBoolean();

  // The metrics' thread looks at them while they are opened.
  private final List<Sending> senders = new CopyOnWriteArrayList<>();
  private final List<Receiving> receivers = new CopyOnWriteArrayList<>();
  private @Nullable ClockOffset after;
  private ProcessCost cost = ProcessCost.NONE;
  private long stoppedMillis;
  private boolean drained;

  private NodeRun(NodeArgs args, PrintStream out, WallClock clock, @Nullable ClockOffset before) {
    this.args = args;
    this.out = out;
    this.clock = clock;
    this.before = before;
    params = args.trial();
    startNanos = clock.nanoTimeAt(args.startMillis());
    measureNanos = startNanos + args.warmup().toNanos();
    endNanos = measureNanos + args.measured().toNanos();
    timeline = new Timeline(startNanos);
  }

  /**
   * Runs a node.
   *
   * @param metrics where it tells of itself while it runs, as of {@link LiveMetrics#asked}
   * @return whether it did its part; what the run proved is found when the files of all nodes are
   *     merged
   * @throws IOException if its files cannot be written, or the metrics' port is taken
   */
  public static boolean run(NodeArgs args, String metrics, PrintStream out) throws IOException {
    Files.createDirectories(args.directory());
    String system = args.trial().system();
    Map<String, String> settings = PublishedSettings.of(MqProvider.named(system), args.settings());
    Environment machine = Machine.environment(Instant.now(), "", Map.of(), List.of());
    NodeFile known = NodeFile.started(args, settings, machine);
    known.write(args.directory());
    WallClock clock = WallClock.now();
    NodeFile done;
    try (Ledger ledger =
            Ledger.recordedTo(
                args.directory().resolve(args.node() + NodeFile.HISTORY),
                args.run(),
                args.role().word() + " " + args.node());
        Mq mq = MqProvider.named(system).connect(args.settings())) {
      ledger.expect(Expectations.of(mq.traits()));
      mq.createQueue(args.queue());
      ClockOffset before = compareClocks(args, clock, out);
      if (before == null && args.clock() != null) {
        throw new MqException("the reference clock does not answer; start it before the nodes");
      }
      NodeArgs agreed = agreed(args);
      known = NodeFile.started(agreed, settings, machine);
      known.write(args.directory());
      NodeRun run = new NodeRun(agreed, out, clock, before);
      LiveMetrics served = LiveMetrics.at(metrics, run::moment);
      try {
        done = run.run(known, mq, ledger);
      } finally {
        if (served != null) {
          served.close();
        }
      }
    } catch (MqException | ExecutionException | TimeoutException e) {
      Throwable why = e instanceof ExecutionException ? Objects.requireNonNull(e.getCause()) : e;
      String what = why instanceof MqException ? why.getMessage() : why.toString();
      done = known.failed(String.valueOf(what));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      done = known.failed("interrupted");
    }
    done.write(args.directory());
    String failure = done.failure();
    out.printf(
        Locale.ROOT,
        "%s: %,d messages %s%s%n",
        args.node(),
        done.done().messages(),
        args.role() == NodeArgs.Role.SEND ? "confirmed" : "received",
        failure == null ? "" : ", FAILED: " + failure);
    return failure == null;
  }

  /** Says that this node is ready, and waits until the others are. */
  private static NodeArgs agreed(NodeArgs args) throws IOException, InterruptedException {
    Path file = args.startFile();
    if (file == null) {
      return args;
    }
    Files.writeString(file.resolveSibling(file.getFileName() + ".ready"), "");
    for (long end = System.nanoTime() + AGREEMENT.toNanos(); !Files.exists(file); ) {
      if (System.nanoTime() - end > 0) {
        throw new MqException("no start was agreed on");
      }
      sleepUntil(System.nanoTime() + POLL_INTERVAL.toNanos());
    }
    try {
      return args.startingAt(Files.readString(file).trim());
    } catch (IllegalArgumentException e) {
      throw new MqException(String.valueOf(e.getMessage()), e);
    }
  }

  private NodeFile run(NodeFile started, Mq mq, Ledger ledger)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Step> steps =
        args.role() == NodeArgs.Role.SEND ? sending(mq, ledger) : receiving(mq, ledger);
    ExecutorService threads = Executors.newFixedThreadPool(steps.size());
    try {
      work(mq, steps, threads);
    } finally {
      over.set(true);
      threads.shutdownNow();
      senders.forEach(Sending::close);
      receivers.forEach(Receiving::close); // completes the acks
    }
    var unused = ledger.verdict(drained); // so that the history says whether all was received
    after = compareClocks(args, clock, out);
    return ended(started, mq);
  }

  /** What one thread does. */
  private interface Step {
    void run() throws InterruptedException;
  }

  private List<Step> sending(Mq mq, Ledger ledger) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < args.threads(); i++) {
      int number = args.firstSender() + i;
      SendTimes times = new SendTimes(new LatencyRecorder(timeline, Timeline.Kind.SEND), null);
      int window = params.async() ? params.window() : 0;
      Sending one =
          Sending.open(
              mq,
              args.queue(),
              ledger.sender(number),
              number,
              params.batch(),
              params.bodyBytes(),
              window,
              times);
      one.stampBy(clock);
      senders.add(one);
      steps.add(
          () -> {
            one.begin(Timeline.Phase.UNMEASURED);
            sendUntil(one, measureNanos);
            one.begin(Timeline.Phase.MEASURED);
            sendUntil(one, endNanos);
            one.settle();
          });
    }
    return steps;
  }

  private static void sendUntil(Sending sending, long nanos) throws InterruptedException {
    while (System.nanoTime() - nanos < 0) {
      var unused = sending.send();
    }
  }

  private List<Step> receiving(Mq mq, Ledger ledger) {
    List<Step> steps = new ArrayList<>();
    long workNanos = TimeUnit.MICROSECONDS.toNanos(params.workMicros());
    for (int i = 0; i < args.threads(); i++) {
      LatencyRecorder recorder = new LatencyRecorder(timeline, Timeline.Kind.PROCESSING);
      Receiving one =
          new Receiving(
              () -> mq.receiver(args.queue()),
              ledger.newReceiver(),
              params.receiveMax(),
              true,
              workNanos,
              false,
              0,
              recorder);
      one.readBy(clock);
      receivers.add(one);
      steps.add(
          () -> {
            one.begin(Timeline.Phase.UNMEASURED);
            receiveUntil(one, measureNanos);
            one.begin(Timeline.Phase.MEASURED);
            receiveUntil(one, endNanos);
            one.begin(Timeline.Phase.TAIL);
            while (!over.get()) {
              var unused = one.receive(POLL_INTERVAL);
            }
            one.flush();
          });
    }
    return steps;
  }

  private static void receiveUntil(Receiving receiving, long nanos) throws InterruptedException {
    while (System.nanoTime() - nanos < 0) {
      var unused = receiving.receive(POLL_INTERVAL);
    }
  }

  private void work(Mq mq, List<Step> steps, ExecutorService threads)
      throws InterruptedException, ExecutionException, TimeoutException {
    long late = System.nanoTime() - startNanos;
    if (late > 0) {
      throw new MqException(
          "it was ready %d ms after the agreed start; agree on a later one"
              .formatted(TimeUnit.NANOSECONDS.toMillis(late)));
    }
    sleepUntil(startNanos);
    List<Future<Boolean>> running = new ArrayList<>();
    for (Step step : steps) {
      running.add(
          threads.submit(
              () -> {
                step.run();
                return true;
              }));
    }
    sleepUntil(measureNanos);
    ProcessCost used = ProcessCost.now();
    sleepUntil(endNanos);
    cost = ProcessCost.now().since(used);
    boolean everything = args.role() == NodeArgs.Role.SEND || awaitIdle(mq, running);
    over.set(true);
    long boundMillis = 2 * mq.traits().callBound().toMillis();
    for (Future<Boolean> one : running) {
      var unused = one.get(boundMillis, TimeUnit.MILLISECONDS);
    }
    stoppedMillis = clock.epochMillis();
    drained = everything && args.role() == NodeArgs.Role.RECEIVE;
  }

  /**
   * Waits until nothing has come for the idle time.
   *
   * @return false if the bound was reached before, or a receiver ended
   */
  private boolean awaitIdle(Mq mq, List<Future<Boolean>> running) throws InterruptedException {
    long bound = System.nanoTime() + args.bound().toNanos();
    long lastChange = System.nanoTime();
    long last = received();
    while (running.stream().noneMatch(Future::isDone) && System.nanoTime() - bound < 0) {
      sleepUntil(System.nanoTime() + PARK_NANOS);
      long now = System.nanoTime();
      long received = received();
      if (received != last) {
        last = received;
        lastChange = now;
      } else if (now - lastChange > idle(mq).toNanos()) {
        return true;
      }
    }
    return false;
  }

  /** A receiver that failed left claims behind, which end within the declared bound. */
  private Duration idle(Mq mq) {
    boolean failed = receivers.stream().anyMatch(r -> r.failedReceives() > 0);
    return failed ? args.idle().plus(mq.traits().redeliveryBound()) : args.idle();
  }

  /** The backlog is between machines, and the verdict is of all of them. */
  private LiveMetrics.Moment moment() {
    Timeline.Live live = timeline.live();
    long now = System.nanoTime();
    return new LiveMetrics.Moment(
        Map.of("system", params.system(), "benchmark", args.role().word()),
        live.sent(),
        live.received(),
        null,
        senders.stream().mapToLong(Sending::failed).sum(),
        now - measureNanos >= 0 && now - endNanos < 0,
        live.times(),
        null);
  }

  private long received() {
    return receivers.stream().mapToLong(Receiving::received).sum();
  }

  private static void sleepUntil(long nanos) throws InterruptedException {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("waiting");
      }
      LockSupport.parkNanos(left);
    }
  }

  /** Null if there is nothing to compare with, or no answer: the merged report says so. */
  private static @Nullable ClockOffset compareClocks(
      NodeArgs args, WallClock clock, PrintStream out) {
    InetSocketAddress server = args.clock();
    try {
      return server == null ? null : ClockOffset.measure(server, clock::epochNanos);
    } catch (IOException e) {
      out.println("clocks not compared: " + e.getMessage());
      return null;
    }
  }

  private NodeFile ended(NodeFile started, Mq mq) {
    Timeline.Kind kind =
        args.role() == NodeArgs.Role.SEND ? Timeline.Kind.SEND : Timeline.Kind.PROCESSING;
    Map<Long, Distribution> bySecond = new HashMap<>();
    Map<Timeline.Kind, Distribution> measured =
        timeline.close((of, second, times) -> bySecond.put(second, times));
    List<NodeFile.Span> spans = new ArrayList<>();
    long messages = 0;
    for (Second second : timeline.seconds()) {
      Distribution times = bySecond.get((long) second.second());
      long count = second.sent() + second.received();
      messages += count;
      spans.add(
          new NodeFile.Span(second.second(), count, times == null ? List.of() : times.encode()));
    }
    Supplier<@Nullable String> lastFailure =
        () ->
            senders.stream()
                .map(Sending::lastFailure)
                .filter(Objects::nonNull)
                .findAny()
                .orElse(null);
    boolean receiving = args.role() == NodeArgs.Role.RECEIVE;
    return started.ended(
        receiving && !drained ? "it stopped before everything was received" : null,
        new NodeFile.Promise(mq.traits().mode(), DeclaredTraits.of(mq.traits())),
        new NodeFile.Done(
            before,
            after,
            stoppedMillis,
            drained,
            messages,
            Timeline.of(measured, kind).count(),
            spans,
            cost),
        new NodeFile.Failures(
            senders.stream().mapToLong(Sending::failed).sum(),
            lastFailure.get(),
            receivers.stream().mapToLong(Receiving::failedReceives).sum(),
            receivers.stream().mapToLong(Receiving::failedAcks).sum()));
  }
}
