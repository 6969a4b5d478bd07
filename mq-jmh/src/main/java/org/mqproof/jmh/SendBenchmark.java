package org.mqproof.jmh;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.trial.Leftovers;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
import org.openjdk.jmh.infra.IterationParams;

/**
 * How fast messages become safe: every thread sends as fast as it can, nobody receives. An
 * operation is one batch; {@code sent} counts confirmed messages.
 *
 * <p>Closed loop: the send latency is the service time of one call.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
@Fork(1)
public class SendBenchmark {

  /** For JMH. */
  public SendBenchmark() {}

  /** The queue that is sent to; shared by all threads. */
  @State(Scope.Benchmark)
  public static class Queue extends TrialState {

    /** Size of the batches: fixed, or a range to draw from. */
    @Param("1..10")
    public String batch = "";

    /** Whether a thread sends on before its last batch is safe. */
    @Param("false")
    public boolean async;

    /** Batches that one thread may have under way, if it sends on. */
    @Param("100")
    public int window;

    /** The queue is emptied between iterations when it holds more messages than this. */
    @Param("1000000")
    public int backlog;

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
      start(benchmark, Leftovers.EMPTIED);
    }
  }

  /** A thread's sender. */
  @State(Scope.Thread)
  public static class SenderThread {

    private @Nullable Sending sending;

    /** For JMH. */
    public SenderThread() {}

    /**
     * Opens the sender.
     *
     * @param queue what to send to
     */
    @Setup(Level.Trial)
    public void open(Queue queue) {
      sending = queue.trial().openSender();
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
      queue.trial().begin(TrialState.phase(iteration), sending(), null);
    }

    /**
     * Waits for all outcomes and for the other threads.
     *
     * @param queue what was sent to
     * @throws InterruptedException if JMH gives up
     */
    @TearDown(Level.Iteration)
    public void end(Queue queue) throws InterruptedException {
      queue.trial().end(sending(), null);
    }

    private Sending sending() {
      if (sending == null) {
        throw new IllegalStateException("JMH has not opened the sender");
      }
      return sending;
    }
  }

  /** What one thread got confirmed; JMH makes a rate of it. */
  @State(Scope.Thread)
  @AuxCounters
  public static class Counter {

    /** Messages confirmed. */
    public long sent;

    /** For JMH. */
    public Counter() {}
  }

  /**
   * Sends one batch.
   *
   * @param queue what to send to
   * @param thread the thread's sender
   * @param counter what was confirmed
   * @throws InterruptedException if JMH gives up
   */
  @Benchmark
  public void send(Queue queue, SenderThread thread, Counter counter) throws InterruptedException {
    try {
      counter.sent += thread.sending().send();
    } catch (RuntimeException | Error e) {
      queue.trial().abort(e);
      throw e;
    }
  }
}
