package org.mqproof.jmh;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.trial.Leftovers;
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
 * How fast a full queue is received, and how fast it is acked. Before each iteration every thread
 * puts {@code leadIn} and {@code prefill} messages there, which is not measured; an operation is to
 * receive and ack all of them. So an empty queue is never measured.
 *
 * <p>The rates begin when all threads together have received the lead-in: what a client had fetched
 * before the first receive costs no time, and is not in them. JMH's own time of the operation has
 * it.
 *
 * <p>A thread is done when all threads together have received as many as were put there. The rate
 * of receives ends with the last receive; the rate of acks has those that completed by then.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(1)
public class ReceiveBenchmark {

  /** Short, as the last receives of a thread may find nothing while another finishes. */
  private static final Duration TIMEOUT = Duration.ofMillis(10);

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** For JMH. */
  public ReceiveBenchmark() {}

  /** The queue that is received from; shared by all threads. */
  @State(Scope.Benchmark)
  public static class Queue extends TrialState {

    /** Most messages of one receive. */
    @Param("1000")
    public int receiveMax;

    /** Messages that each thread puts there before each iteration. */
    @Param("200000")
    public int prefill;

    /**
     * Messages per thread that are received before the rates begin, and are put there besides
     * {@code prefill}: at least what its client prefetches, or that would cost no time; {@code
     * auto} is a quarter of {@code prefill}.
     */
    @Param("auto")
    public String leadIn = "";

    /**
     * Whether a thread waits for the ack of what it received before it receives again, as a program
     * does that commits a transaction of so many messages.
     */
    @Param("false")
    public boolean awaitAcks;

    private final AtomicLong left = new AtomicLong();
    private int leadInEach;
    private long counted;

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
      start(benchmark, Leftovers.LEFT);
      leadInEach = trial().params().leadIn();
      counted = (long) prefill * benchmark.getThreads();
    }

    /** Takes note of messages that were received, and of the end of the lead-in. */
    private void received(int messages) {
      long after = left.addAndGet(-messages);
      if (leadInEach > 0 && after <= counted && after + messages > counted) {
        trial().restart();
      }
    }
  }

  /** A thread's receiver, and the sender that fills the queue for it. */
  @State(Scope.Thread)
  public static class ReceiverThread {

    private @Nullable Sending filling;
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
      filling = queue.trial().openFiller();
      receiving = queue.trial().openReceiver();
    }

    /**
     * Fills the queue and waits for the other threads.
     *
     * @param queue what to fill
     * @param iteration from JMH
     * @throws InterruptedException if JMH gives up
     */
    @Setup(Level.Iteration)
    public void fill(Queue queue, IterationParams iteration) throws InterruptedException {
      Sending filling = filling();
      filling.begin(Timeline.Phase.UNMEASURED);
      try {
        long before = filling.submitted();
        long wanted = (long) queue.prefill + queue.leadInEach;
        long most = 0;
        long failedThen = filling.failed();
        long grewNanos = System.nanoTime();
        while (filling.submitted() - before < wanted) {
          var unused = filling.send();
          if (filling.submitted() - before > most) {
            most = filling.submitted() - before;
            failedThen = filling.failed();
            grewNanos = System.nanoTime();
          } else if (filling.failed() > failedThen
              && System.nanoTime() - grewNanos > PATIENCE.toNanos()) {
            throw new IllegalStateException(
                "the queue takes no more than %d messages, and prefill and leadIn are %d for each receiver: %s"
                    .formatted(most, wanted, filling.lastFailure()));
          }
        }
        filling.settle();
        queue.left.addAndGet(filling.submitted() - before);
      } catch (RuntimeException | Error e) {
        queue.trial().abort(e);
        throw e;
      }
      queue.trial().begin(TrialState.phase(iteration), null, receiving());
    }

    /**
     * Waits for the other threads.
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

    private Sending filling() {
      if (filling == null) {
        throw new IllegalStateException("JMH has not opened the sender");
      }
      return filling;
    }
  }

  /**
   * Receives and acks this thread's share of what was put there.
   *
   * @param queue what to receive from
   * @param thread the thread's receiver
   * @throws InterruptedException if JMH gives up
   */
  @Benchmark
  public void receive(Queue queue, ReceiverThread thread) throws InterruptedException {
    try {
      take(queue, thread.receiving());
    } catch (RuntimeException | Error e) {
      queue.trial().abort(e);
      throw e;
    }
  }

  private static void take(Queue queue, Receiving receiving) throws InterruptedException {
    long lastNanos = System.nanoTime();
    while (queue.left.get() > 0) {
      int received = receiving.receive(TIMEOUT);
      if (received > 0) {
        queue.received(received);
        lastNanos = System.nanoTime();
      } else if (System.nanoTime() - lastNanos > PATIENCE.toNanos()) {
        return; // the verdict will tell whether the rest is lost
      }
    }
  }
}
