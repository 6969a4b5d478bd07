package org.mqproof.kafka;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.AbstractSender;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.PendingBatch;

/**
 * Sends to one topic through the producer that all senders share.
 *
 * <p>A batch goes to one partition as a whole, so that its records share record batches and
 * requests; the next batch goes to the next partition, or to the same if order is kept.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The producer's thread completes the
 * futures.
 */
final class KafkaSender extends AbstractSender {

  private final KafkaSettings settings;
  private final String queue;
  private final SharedProducer producers;
  private final IntSupplier partitions;
  private final Consumer<KafkaSender> onClose;
  private final Set<PendingBatch> pending = ConcurrentHashMap.newKeySet();

  /**
   * Sends nothing yet.
   *
   * @param partitions chooses the partition of the next batch
   */
  KafkaSender(
      KafkaSettings settings,
      String queue,
      SharedProducer producers,
      IntSupplier partitions,
      Consumer<KafkaSender> onClose) {
    super(
        settings.endpoint(),
        queue,
        Causes::reason,
        MessageLimits.of(settings.traits()),
        settings.callBound());
    this.settings = settings;
    this.queue = queue;
    this.producers = producers;
    this.partitions = partitions;
    this.onClose = onClose;
  }

  @Override
  protected void publish(PendingBatch batch, boolean awaited) throws InterruptedException {
    if (batch.rejectRefused()) {
      batch.complete();
      return;
    }
    if (!awaited) {
      pending.add(batch);
      var unused = batch.done().whenComplete((done, failure) -> pending.remove(batch));
    }
    handOver(batch);
    if (awaited && Thread.interrupted()) {
      throw new InterruptedException("interrupted while sending to queue " + queue);
    }
  }

  /** The producer itself gives up earlier, but for one that {@link SharedProducer} gives up. */
  @Override
  protected void giveUp(PendingBatch batch, Exception cause) {
    batch.giveUp(cause);
  }

  /** Hands a batch to the producer, and gives every message it did not take its outcome. */
  private void handOver(PendingBatch batch) {
    int partition = partitions.getAsInt();
    HandOver handOver = new HandOver(batch);
    for (int i = 0; i < batch.size(); i++) {
      if (batch.isRefused(i)) {
        continue;
      }
      Message message = batch.message(i);
      try {
        handOver(
            new ProducerRecord<byte[], byte[]>(
                queue, partition, null, message.body(), TextHeaders.of(message)),
            handOver,
            i);
      } catch (InterruptException e) {
        rejectFrom(i, batch, e);
        break;
      }
      Exception blocked = handOver.blocked;
      if (blocked != null) {
        // Waiting as long again for each of the others would take too long.
        rejectFrom(i + 1, batch, blocked);
        break;
      }
    }
    handOver.underWay = false;
  }

  /** Nothing from here on reaches the producer. */
  private static void rejectFrom(int first, PendingBatch batch, Exception cause) {
    for (int i = first; i < batch.size(); i++) {
      batch.end(i, Outcome.REJECTED, cause);
    }
  }

  private void handOver(ProducerRecord<byte[], byte[]> message, HandOver handOver, int index) {
    for (int attempt = 1; ; attempt++) {
      SharedProducer.Live live = producers.get();
      Taken taken = new Taken(handOver, index, live);
      try {
        Future<RecordMetadata> unused = live.producer.send(message, taken);
        return;
      } catch (InterruptException e) {
        throw e; // while it waited for room: the message was not taken
      } catch (IllegalStateException e) {
        // Closed before it took the message, by a sender that saw it fail.
        producers.giveUp(live);
        if (attempt == 2) {
          taken.end(Outcome.REJECTED, e);
          return;
        }
      } catch (KafkaException e) {
        producers.giveUp(live);
        taken.end(Outcome.UNKNOWN, e); // it may call back as well: the first outcome counts
        return;
      }
    }
  }

  @Override
  public void close() {
    beginClose();
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    for (PendingBatch batch : pending) {
      if (!BoundedWaits.await(batch.done(), deadline)) {
        batch.giveUp(new MqException(settings.endpoint() + ": the sender was closed"));
      }
    }
    onClose.accept(this);
  }

  /** A batch while one thread hands it over; its fields are for that thread. */
  private static final class HandOver {

    private final PendingBatch batch;
    private final Thread sender = Thread.currentThread();
    private boolean underWay = true;
    // The producer had no room or no metadata in time.
    private @Nullable Exception blocked;

    private HandOver(PendingBatch batch) {
      this.batch = batch;
    }
  }

  /** Takes the outcome of one message from the producer. */
  private record Taken(HandOver handOver, int index, SharedProducer.Live live) implements Callback {

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
      if (failure == null) {
        live.answered();
        end(Outcome.CONFIRMED, null);
      } else if (Thread.currentThread() == handOver.sender && handOver.underWay) {
        // From its send method the producer calls back only when it did not take the message: no
        // room or no metadata in time, or too large. Later the same thread may be the producer's
        // own, if the user sends where the last batch ended.
        if (failure instanceof TimeoutException) {
          handOver.blocked = failure;
        }
        end(Outcome.REJECTED, failure);
      } else {
        live.answered();
        end(isDefinite(failure) ? Outcome.REJECTED : Outcome.UNKNOWN, failure);
      }
    }

    private void end(Outcome outcome, @Nullable Exception cause) {
      handOver.batch.end(index, outcome, cause);
    }

    /**
     * Whether a failure that the broker or the producer's thread reported is certain. Everything
     * else may hide an earlier attempt that was stored and whose answer was lost.
     */
    private static boolean isDefinite(Exception failure) {
      return failure instanceof RecordTooLargeException
          || failure instanceof RecordBatchTooLargeException
          || failure instanceof InvalidTopicException
          || failure instanceof InvalidRecordException;
    }
  }
}
