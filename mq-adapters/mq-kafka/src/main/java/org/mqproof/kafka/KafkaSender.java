package org.mqproof.kafka;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Sender;
import org.mqproof.support.BatchOutcome;

/**
 * Sends to one topic through the producer that all senders share.
 *
 * <p>A batch goes to one partition as a whole, so that its records share record batches and
 * requests; the next batch goes to the next partition, or to the same if order is kept.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The producer's thread completes the
 * futures.
 */
final class KafkaSender implements Sender {

  private final KafkaSettings settings;
  private final String queue;
  private final SharedProducer producers;
  private final IntSupplier partitions;
  private final Consumer<KafkaSender> onClose;
  private final int largestBodyBytes;
  private final Set<SendBatch> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

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
    this.settings = settings;
    this.queue = queue;
    this.producers = producers;
    this.partitions = partitions;
    this.onClose = onClose;
    largestBodyBytes = settings.traits().largestBodyBytes();
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before anything was sent");
    }
    SendBatch sending = newBatch(batch, ended -> {});
    handOver(batch, sending);
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while sending to queue " + queue);
    }
    // The producer itself gives up earlier; this wait only guards against its thread's death.
    BatchOutcome.await(sending.done(), settings.callBound().toNanos(), sending::abandon);
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    SendBatch sending = newBatch(batch, pending::remove);
    pending.add(sending);
    handOver(batch, sending);
    return sending.done();
  }

  private SendBatch newBatch(List<Message> batch, Consumer<SendBatch> onEnd) {
    return new SendBatch(settings.endpoint() + ", queue " + queue, batch.size(), onEnd);
  }

  /** Hands a batch to the producer, and gives every message it did not take its outcome. */
  private void handOver(List<Message> batch, SendBatch sending) {
    int size = batch.size();
    int partition = partitions.getAsInt();
    for (int i = 0; i < size; i++) {
      byte[] body = batch.get(i).body();
      if (body.length > largestBodyBytes) {
        sending.rejected(
            i,
            new RecordTooLargeException(
                "a body of " + body.length + " bytes, at most " + largestBodyBytes));
        continue;
      }
      try {
        handOver(new ProducerRecord<>(queue, partition, null, body), sending.callback(i));
      } catch (InterruptException e) {
        rejectFrom(i, size, sending, e);
        break;
      }
      Exception cause = sending.firstCause();
      if (cause != null && sending.isBlocked()) {
        // Waiting as long again for each of the others would take too long.
        rejectFrom(i + 1, size, sending, cause);
        break;
      }
    }
    sending.handedOver();
  }

  /** Nothing from here on reaches the producer. */
  private static void rejectFrom(int first, int size, SendBatch sending, Exception cause) {
    for (int i = first; i < size; i++) {
      sending.rejected(i, cause);
    }
  }

  private void handOver(
      ProducerRecord<byte[], byte[]> message, SendBatch.MessageCallback callback) {
    for (int attempt = 1; ; attempt++) {
      Producer<byte[], byte[]> producer = producers.get();
      try {
        Future<RecordMetadata> unused = producer.send(message, callback);
        return;
      } catch (InterruptException e) {
        throw e; // while it waited for room: the message was not taken
      } catch (IllegalStateException e) {
        // Closed before it took the message, by a sender that saw it fail.
        producers.giveUp(producer);
        if (attempt == 2) {
          callback.report(Outcome.REJECTED, e);
          return;
        }
      } catch (KafkaException e) {
        producers.giveUp(producer);
        callback.report(Outcome.UNKNOWN, e);
        return;
      }
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    awaitPending();
    onClose.accept(this);
  }

  private void awaitPending() {
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    boolean interrupted = false;
    for (SendBatch batch : pending) {
      boolean ended = false;
      while (!ended) {
        try {
          batch.done().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
          ended = true;
        } catch (ExecutionException e) {
          ended = true; // its own future tells
        } catch (TimeoutException e) {
          batch.abandon(new MqException(settings.endpoint() + ": the sender was closed", e));
          ended = true;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
