package org.mqproof.jmh;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.trial.Backpressure;
import org.mqproof.jmh.trial.Leftovers;
import org.mqproof.jmh.trial.Trial;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * What a queue sustains from end to end: some threads send, others receive and ack at the same time
 * ({@code -tg senders,receivers}). An operation is one call, of either side; {@code sent} and
 * {@code received} count messages.
 *
 * <p>Senders wait when {@code backlog} messages are sent and not yet received, until half of them
 * are: to go on at each received batch would switch threads more often than it moves messages. So
 * the rate is one that can be kept up, and memory stays bounded; a processing latency of about
 * backlog by rate means that the receivers are the slower side, and the row says so.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
@Fork(1)
public class FlowBenchmark {

  /** For JMH. */
  public FlowBenchmark() {}

  /** The queue that everything goes through; shared by all threads. */
  @State(Scope.Benchmark)
  public static class Queue extends TrialState {

    /** Size of the batches: fixed, or a range to draw from. */
    @Param("1..10")
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

    /** Messages sent and not yet received, beyond which senders wait. */
    @Param("10000")
    public int backlog;

    /** Queues; senders and receivers are dealt out to them in turn. */
    @Param("1")
    public int queues;

    /**
     * Messages that go through the queue before the first iteration, all senders together: so old
     * the ledger is when measuring begins.
     */
    @Param("0")
    public int earlier;

    private final AtomicInteger sendingEarlier = new AtomicInteger();
    private int earlierEach;

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
      int senders = benchmark.getThreadGroups()[0] * benchmark.getThreads() / groupSize(benchmark);
      sendingEarlier.set(senders);
      earlierEach = (earlier + senders - 1) / senders;
    }

    private static int groupSize(BenchmarkParams benchmark) {
      return Arrays.stream(benchmark.getThreadGroups()).sum();
    }
  }

  /** A sender's side of the queue. */
  @State(Scope.Thread)
  public static class SenderThread {

    private @Nullable Sending sending;
    private long allowance;
    private boolean begun;

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
      if (!begun && queue.earlier > 0) {
        sendEarlier(queue);
      }
      begun = true;
      allowance = 0;
      queue.trial().begin(TrialState.phase(iteration), sending(), null);
    }

    /** As an iteration of its own that ends with a count. */
    private void sendEarlier(Queue queue) throws InterruptedException {
      Trial trial = queue.trial();
      trial.begin(Timeline.Phase.UNMEASURED, sending(), null);
      try {
        while (sending().submitted() < queue.earlierEach) {
          var unused = send(trial.backpressure(), () -> false);
        }
      } catch (RuntimeException | Error e) {
        trial.abort(e);
        throw e;
      } finally {
        queue.sendingEarlier.decrementAndGet();
      }
      trial.end(sending(), null);
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

    int send(Backpressure backpressure, BooleanSupplier over) throws InterruptedException {
      Sending sending = sending();
      if (allowance <= 0) {
        allowance = backpressure.allowance();
        if (allowance <= 0) {
          boolean halved = backpressure.awaitHalved(sending, over);
          allowance = backpressure.allowance();
          if (!halved) {
            return 0; // the iteration is over
          }
        }
      }
      long before = sending.submitted();
      int confirmed = sending.send();
      allowance -= Math.max(1, sending.submitted() - before);
      return confirmed;
    }

    private Sending sending() {
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
    private boolean begun;

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
      if (!begun && queue.earlier > 0) {
        receiveEarlier(queue);
      }
      begun = true;
      queue.trial().begin(TrialState.phase(iteration), null, receiving());
    }

    private void receiveEarlier(Queue queue) throws InterruptedException {
      Trial trial = queue.trial();
      trial.begin(Timeline.Phase.UNMEASURED, null, receiving());
      try {
        while (queue.sendingEarlier.get() > 0) {
          var unused = receiving().receive(Trial.RECEIVE_TIMEOUT);
        }
      } catch (RuntimeException | Error e) {
        trial.abort(e);
        throw e;
      }
      trial.end(null, receiving());
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

    private Receiving receiving() {
      if (receiving == null) {
        throw new IllegalStateException("JMH has not opened the receiver");
      }
      return receiving;
    }
  }

  /** What one sender got confirmed; JMH makes a rate of it. */
  @State(Scope.Thread)
  @AuxCounters
  public static class SendCounter {

    /** Messages confirmed. */
    public long sent;

    /** For JMH. */
    public SendCounter() {}
  }

  /** What one receiver got; JMH makes a rate of it. */
  @State(Scope.Thread)
  @AuxCounters
  public static class ReceiveCounter {

    /** Messages received. */
    public long received;

    /** For JMH. */
    public ReceiveCounter() {}
  }

  /**
   * Sends one batch, once the backlog allows it. JMH takes the methods of a group in the order of
   * their names, so this one's threads come first in {@code -tg}.
   *
   * @param queue what to send to
   * @param thread the thread's sender
   * @param counter what was confirmed
   * @param control from JMH, so that no sender waits beyond the end
   * @throws InterruptedException if JMH gives up
   */
  @Benchmark
  @Group("flow")
  @GroupThreads(1)
  public void fromSender(Queue queue, SenderThread thread, SendCounter counter, Control control)
      throws InterruptedException {
    try {
      counter.sent += thread.send(queue.trial().backpressure(), () -> control.stopMeasurement);
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
  @Group("flow")
  @GroupThreads(1)
  public void toReceiver(Queue queue, ReceiverThread thread, ReceiveCounter counter)
      throws InterruptedException {
    try {
      counter.received += thread.receiving().receive(Trial.RECEIVE_TIMEOUT);
    } catch (RuntimeException | Error e) {
      queue.trial().abort(e);
      throw e;
    }
  }
}
