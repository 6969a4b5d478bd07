package org.mqproof.comparison;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Sender;

/** Makes and measures load in this process. Thread-safe: no state. */
public final class Load {

  /** What is not counted: connections are made, code is compiled, queues find their length. */
  public static final Duration WARM_UP = Duration.ofSeconds(4);

  /** What is counted, right after the warm-up. */
  public static final Duration MEASURED = Duration.ofSeconds(8);

  private static final Duration NOTHING_COMES = Duration.ofMinutes(1);

  private Load() {}

  /** One call that moves messages. */
  @FunctionalInterface
  public interface Step extends AutoCloseable {

    /**
     * Makes the call.
     *
     * @return how many messages to count
     * @throws Exception if it failed
     */
    int messages() throws Exception;

    /** Ends what goes on without calls, if anything does. Called by the same thread. */
    @Override
    default void close() {}
  }

  /** Makes the step that one thread repeats. */
  @FunctionalInterface
  public interface Worker {

    /**
     * Starts, in the thread that repeats the step.
     *
     * @return the step
     * @throws Exception if it failed
     */
    Step start() throws Exception;
  }

  /** What is measured while workers run. */
  private interface Measured {
    Rate measure(LongAdder counted, CompletableFuture<Void> failed) throws Exception;
  }

  /**
   * What all workers count per second, after the warm-up. Each has a thread of its own.
   *
   * @param workers at least one
   * @return their rate together
   * @throws Exception if a worker failed: then there is no rate
   */
  public static Rate of(List<? extends Worker> workers) throws Exception {
    return measure(
        workers,
        (counted, failed) -> {
          awaitUnlessFailed(failed, WARM_UP);
          long before = counted.sum();
          Usage from = Usage.ofThisProcess();
          awaitUnlessFailed(failed, MEASURED);
          return Rate.between(counted.sum() - before, from, Usage.ofThisProcess());
        });
  }

  private static Rate measure(List<? extends Worker> workers, Measured measured) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(workers.size());
    LongAdder counted = new LongAdder();
    AtomicBoolean stop = new AtomicBoolean();
    // Of several failures the first one counts: the others may be what came of it.
    CompletableFuture<Void> failed = new CompletableFuture<>();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (Worker worker : workers) {
        running.add(
            pool.submit(
                () -> {
                  try (Step step = worker.start()) {
                    while (!stop.get()) {
                      counted.add(step.messages());
                    }
                    return null;
                  } catch (Exception e) {
                    failed.completeExceptionally(e);
                    throw e;
                  }
                }));
      }
      Rate rate = measured.measure(counted, failed);
      stop.set(true);
      for (Future<?> thread : running) {
        thread.get(1, TimeUnit.MINUTES);
      }
      return rate;
    } finally {
      stop.set(true);
      pool.shutdownNow();
    }
  }

  private static void awaitUnlessFailed(CompletableFuture<Void> failed, Duration time)
      throws InterruptedException, ExecutionException {
    try {
      failed.get(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return; // the time is over, and nobody failed
    }
  }

  /**
   * How fast one thread takes what is there already.
   *
   * @param messages how many there are; the last of them ends the run
   * @param warmUp how many of them are not counted
   * @param step takes some of them
   * @return the rate after the warm-up
   * @throws Exception if the step failed
   */
  public static Rate ofBacklog(int messages, int warmUp, Step step) throws Exception {
    long taken = 0;
    while (taken < warmUp) {
      taken += step.messages();
    }
    long before = taken;
    Usage from = Usage.ofThisProcess();
    while (taken < messages) {
      taken += step.messages();
    }
    return Rate.between(taken - before, from, Usage.ofThisProcess());
  }

  /**
   * How fast several threads take what is there already.
   *
   * @param first how many messages are not counted
   * @param last with which of them the run ends; there are more, so that nobody waits for the end
   * @param workers at least one, each of which takes some
   * @return their rate together, between the two
   * @throws Exception if a worker failed, or nothing was taken for a minute
   */
  public static Rate ofBacklog(int first, int last, List<? extends Worker> workers)
      throws Exception {
    return measure(
        workers,
        (counted, failed) -> {
          long before = awaitCount(counted, first, failed);
          Usage from = Usage.ofThisProcess();
          long after = awaitCount(counted, last, failed);
          return Rate.between(after - before, from, Usage.ofThisProcess());
        });
  }

  private static long awaitCount(LongAdder counted, long count, CompletableFuture<Void> failed)
      throws Exception {
    long seen = counted.sum();
    long since = System.nanoTime();
    while (seen < count) {
      awaitUnlessFailed(failed, Duration.ofMillis(1));
      long now = counted.sum();
      if (now > seen) {
        since = System.nanoTime();
      } else if (System.nanoTime() - since > NOTHING_COMES.toNanos()) {
        throw new TimeoutException("%d messages, and then nothing".formatted(now));
      }
      seen = now;
    }
    return seen;
  }

  /**
   * Sends batches of 1 to 10 messages, each when the one before is confirmed.
   *
   * @param mq of any system
   * @param queue exists
   * @param bytes of each body
   * @return a worker whose rate is that of confirms
   */
  public static Worker sendingSmallBatches(Mq mq, String queue, int bytes) {
    return () -> {
      Sender sender = mq.sender(queue);
      Random random = new Random();
      List<Message> messages = messages(10, bytes);
      return () -> {
        List<Message> batch = messages.subList(0, 1 + random.nextInt(10));
        sender.send(batch);
        return batch.size();
      };
    };
  }

  /**
   * A batch that costs nothing to make: the same message again and again.
   *
   * @param count messages in it
   * @param bytes of each body, which looks random
   * @return the batch
   */
  public static List<Message> messages(int count, int bytes) {
    byte[] body = new byte[bytes];
    new Random(bytes).nextBytes(body);
    return Collections.nCopies(count, new Message(body));
  }
}
