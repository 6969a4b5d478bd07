package org.mqproof.jmh;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.PacedSending;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.trial.Leftovers;
import org.mqproof.jmh.trial.Trial;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.Control;
import org.openjdk.jmh.infra.IterationParams;

/**
 * What users see at a given rate: senders send by a schedule that no stall of the system moves,
 * while receivers receive and ack ({@code -tg senders,receivers}). {@code sent} and {@code
 * received} count messages.
 *
 * <p>Open loop: the response time of a send counts from the moment it was due, its service time
 * from the call. A message carries the time at which it was due, so the processing latency counts
 * from there too. Nothing holds the senders back but the system itself; what is due in the measured
 * time is sent, late if need be, or counted.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
@Fork(1)
public class OpenLoopBenchmark {

  /** Interval between checks of the backlog. */
  private static final long POLL_INTERVAL_NANOS = 100_000;

  /** For JMH. */
  public OpenLoopBenchmark() {}

  /** The queue that everything goes through; shared by all threads. */
  @State(Scope.Benchmark)
  public static class Queue extends TrialState {

    /** Messages per second, all senders together. */
    @Param("1000")
    public int rate;

    /** How they are spread over time: constant, poisson, or bursts:N. */
    @Param("constant")
    public String arrivals = "";

    /** Size of the batches: fixed, or a range to draw from. */
    @Param("1")
    public String batch = "";

    /** Whether a sender sends on before its last batch is safe. */
    @Param("false")
    public boolean async;

    /** Batches that one sender may have under way, if it sends on. */
    @Param("100")
    public int window;

    /** Most messages of one receive. */
    @Param("1000")
    public int receiveMax;

    /** Queues; senders and receivers are dealt out to them in turn. */
    @Param("1")
    public int queues;

    /** Time a receiver takes for each message before it acks it, microseconds. */
    @Param("0")
    public int workMicros;

    /** Messages that pile up in each iteration before the receivers begin. */
    @Param("0")
    public int buildUp;

    /** Share of the deliveries that are not acked, so that they come again, percent. */
    @Param("0")
    public int dropPercent;

    /** For JMH. */
    public Queue() {}

    /**
     * Creates the queue.
     *
     * @param benchmark from JMH
     * @throws IOException if the trial's file cannot be written
     */
    @Setup(Level.Trial)
    public void open(BenchmarkParams benchmark) throws IOException {
      start(benchmark, Leftovers.RECEIVED);
    }
  }

  /** A sender's side of the queue. */
  @State(Scope.Thread)
  public static class SenderThread {

    private @Nullable PacedSending sending;

    /** For JMH. */
    public SenderThread() {}

    /**
     * Opens the sender.
     *
     * @param queue what to send to
     */
    @Setup(Level.Trial)
    public void open(Queue queue) {
      sending = queue.trial().openPacedSender();
    }

    /**
     * Waits for the other threads.
     *
     * @param queue what to send to
     * @param iteration from JMH
     * @throws InterruptedException if JMH gives up
     */
    @Setup(Level.Iteration)
    public void begin(Queue queue, IterationParams iteration) throws InterruptedException {
      queue.trial().begin(TrialState.phase(iteration), sending());
    }

    /**
     * Sends what is overdue, and waits for all outcomes and for the other threads.
     *
     * @param queue what was sent to
     * @throws InterruptedException if JMH gives up
     */
    @TearDown(Level.Iteration)
    public void end(Queue queue) throws InterruptedException {
      queue.trial().end(sending());
    }

    private PacedSending sending() {
      if (sending == null) {
        throw new IllegalStateException("JMH has not opened the sender");
      }
      return sending;
    }
  }

  /** A receiver's side of the queue. */
  @State(Scope.Thread)
  public static class ReceiverThread {

    private @Nullable Receiving receiving;

    /** For JMH. */
    public ReceiverThread() {}

    /**
     * Opens the receiver.
     *
     * @param queue what to receive from
     */
    @Setup(Level.Trial)
    public void open(Queue queue) {
      receiving = queue.trial().openReceiver();
    }

    /**
     * Waits for the other threads.
     *
     * @param queue what to receive from
     * @param iteration from JMH
     * @throws InterruptedException if JMH gives up
     */
    @Setup(Level.Iteration)
    public void begin(Queue queue, IterationParams iteration) throws InterruptedException {
      queue.trial().begin(TrialState.phase(iteration), null, receiving());
    }

    /**
     * Receives what the senders left, and waits for the other threads.
     *
     * @param queue what was received from
     * @throws InterruptedException if JMH gives up
     */
    @TearDown(Level.Iteration)
    public void end(Queue queue) throws InterruptedException {
      queue.trial().end(null, receiving());
    }

    int receive(Trial trial) throws InterruptedException {
      if (trial.buildUp().holdsReceivers()) {
        LockSupport.parkNanos(POLL_INTERVAL_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException("waiting for the backlog");
        }
        return 0;
      }
      return receiving().receive(Trial.RECEIVE_TIMEOUT);
    }

    private Receiving receiving() {
      if (receiving == null) {
        throw new IllegalStateException("JMH has not opened the receiver");
      }
      return receiving;
    }
  }

  /**
   * Sends one batch when it is due. JMH takes the methods of a group in the order of their names,
   * so this one's threads come first in {@code -tg}.
   *
   * @param queue what to send to
   * @param thread the thread's sender
   * @param counter what was confirmed
   * @param control from JMH, so that no sender waits beyond the end
   * @throws InterruptedException if JMH gives up
   */
  @Benchmark
  @Group("open")
  @GroupThreads(1)
  public void fromSender(
      Queue queue, SenderThread thread, FlowBenchmark.SendCounter counter, Control control)
      throws InterruptedException {
    try {
      counter.sent += thread.sending().send(() -> control.stopMeasurement);
    } catch (RuntimeException | Error e) {
      queue.trial().abort(e);
      throw e;
    }
  }

  /**
   * Receives once, and acks.
   *
   * @param queue what to receive from
   * @param thread the thread's receiver
   * @param counter what was received
   * @throws InterruptedException if JMH gives up
   */
  @Benchmark
  @Group("open")
  @GroupThreads(1)
  public void toReceiver(Queue queue, ReceiverThread thread, FlowBenchmark.ReceiveCounter counter)
      throws InterruptedException {
    try {
      counter.received += thread.receive(queue.trial());
    } catch (RuntimeException | Error e) {
      queue.trial().abort(e);
      throw e;
    }
  }
}
