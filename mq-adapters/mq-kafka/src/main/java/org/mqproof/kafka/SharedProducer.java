package org.mqproof.kafka;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * The one producer that all senders of an {@link KafkaMq} share: records of many threads then
 * travel in one request, and several batches of them in one record batch. Thread-safe.
 *
 * <p>An idempotent producer can fail for good. It is then replaced, so that work goes on. So is a
 * new one that has had no outcome at all within the bound: it asks one broker for its number before
 * it sends, and if that one answers but is cut off from the others, goes on asking it for minutes,
 * past every time-out of its records (kafka-clients 4.4).
 */
final class SharedProducer implements AutoCloseable {

  private final Supplier<Producer<byte[], byte[]>> factory;
  private final Duration closeBound;
  private final Executor afterFirstBound;
  private volatile @Nullable Live current;
  private boolean closed;

  /**
   * Connects when it is first needed.
   *
   * @param closeBound longest that closing waits for records that are under way
   * @param firstBound longest that the first outcome of a new producer takes, good or bad
   */
  SharedProducer(
      Supplier<Producer<byte[], byte[]>> factory, Duration closeBound, Duration firstBound) {
    this.factory = factory;
    this.closeBound = closeBound;
    afterFirstBound = CompletableFuture.delayedExecutor(firstBound.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** The producer to send with now; it is made for a record that follows at once. */
  Live get() {
    Live live = current;
    return live != null ? live : getOrMake();
  }

  private synchronized Live getOrMake() {
    if (closed) {
      throw new IllegalStateException("this Mq is closed");
    }
    Live live = current;
    if (live == null) {
      Live made = new Live(factory.get());
      live = made;
      current = made;
      afterFirstBound.execute(
          () -> {
            if (!made.answered) {
              giveUp(made);
            }
          });
    }
    return live;
  }

  /** Gives up a producer that failed for good; what it had under way ends as unknown. */
  synchronized void giveUp(Live failed) {
    if (current == failed) {
      current = null;
      failed.producer.close(Duration.ZERO);
    }
  }

  /** Sends what is under way, as far as that can be done in time. */
  @Override
  public synchronized void close() {
    closed = true;
    Live live = current;
    current = null;
    if (live != null) {
      live.producer.close(closeBound);
    }
  }

  /** A producer, and whether it has told any outcome. Thread-safe. */
  static final class Live {

    final Producer<byte[], byte[]> producer;
    private volatile boolean answered;

    private Live(Producer<byte[], byte[]> producer) {
      this.producer = producer;
    }

    /** It told the outcome of a record that it had taken. */
    void answered() {
      if (!answered) {
        answered = true;
      }
    }
  }
}
