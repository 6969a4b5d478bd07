package org.mqproof.kafka;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * The one producer that all senders of an {@link KafkaMq} share: records of many threads then
 * travel in one request, and several batches of them in one record batch. Thread-safe.
 *
 * <p>An idempotent producer can fail for good. It is then replaced, so that work goes on.
 */
final class SharedProducer implements AutoCloseable {

  private final Supplier<Producer<byte[], byte[]>> factory;
  private final Duration closeBound;
  private volatile @Nullable Producer<byte[], byte[]> current;
  private boolean closed;

  /**
   * Connects when it is first needed.
   *
   * @param closeBound longest that closing waits for records that are under way
   */
  SharedProducer(Supplier<Producer<byte[], byte[]>> factory, Duration closeBound) {
    this.factory = factory;
    this.closeBound = closeBound;
  }

  Producer<byte[], byte[]> get() {
    Producer<byte[], byte[]> producer = current;
    return producer != null ? producer : getOrMake();
  }

  private synchronized Producer<byte[], byte[]> getOrMake() {
    if (closed) {
      throw new IllegalStateException("this Mq is closed");
    }
    Producer<byte[], byte[]> producer = current;
    if (producer == null) {
      producer = factory.get();
      current = producer;
    }
    return producer;
  }

  /** Gives up a producer that failed for good; what it had under way ends as unknown. */
  synchronized void giveUp(Producer<byte[], byte[]> failed) {
    if (current == failed) {
      current = null;
      failed.close(Duration.ZERO);
    }
  }

  /** Sends what is under way, as far as that can be done in time. */
  @Override
  public synchronized void close() {
    closed = true;
    Producer<byte[], byte[]> producer = current;
    current = null;
    if (producer != null) {
      producer.close(closeBound);
    }
  }
}
