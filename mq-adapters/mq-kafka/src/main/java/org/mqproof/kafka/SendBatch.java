package org.mqproof.kafka;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/**
 * What became of each message of one batch; completes {@link #done} when that is known of all.
 *
 * <p>One thread hands the messages over; the producer's own thread reports most outcomes.
 */
final class SendBatch {

  private final String endpoint;
  private final Consumer<SendBatch> onEnd;
  private final Thread sender = Thread.currentThread();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final @Nullable Outcome[] outcomes;
  // One more than the messages: the batch cannot end before all of them are handed over.
  private final AtomicInteger open;
  private volatile @Nullable Exception firstCause;
  private boolean blocked;
  // Read and written by the sending thread alone.
  private boolean handingOver = true;

  SendBatch(String endpoint, int size, Consumer<SendBatch> onEnd) {
    this.endpoint = endpoint;
    this.onEnd = onEnd;
    outcomes = new @Nullable Outcome[size];
    open = new AtomicInteger(size + 1);
  }

  /** Completes with nothing when all are confirmed, else with a {@link SendFailedException}. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Takes the outcome of one message from the producer; for the sending thread to hand over. */
  MessageCallback callback(int index) {
    return new MessageCallback(index);
  }

  /** Whether the producer had no room or no metadata in time; asked by the sending thread. */
  boolean isBlocked() {
    return blocked;
  }

  /** What was said first of a message that was not confirmed. */
  @Nullable Exception firstCause() {
    return firstCause;
  }

  /** Every message was handed to the producer, or has its outcome. */
  void handedOver() {
    handingOver = false;
    oneLess();
  }

  /** A message that was never handed to the producer, or that it refused to take. */
  void rejected(int index, Exception cause) {
    end(index, Outcome.REJECTED, cause);
  }

  /** Ends the batch now: a message without an outcome is unknown. */
  void abandon(Exception cause) {
    if (firstCause == null) {
      firstCause = cause;
    }
    finish();
  }

  private void end(int index, Outcome outcome, @Nullable Exception cause) {
    outcomes[index] = outcome;
    if (cause != null && firstCause == null) {
      firstCause = cause;
    }
    oneLess();
  }

  private void oneLess() {
    if (open.decrementAndGet() == 0) {
      finish();
    }
  }

  private void finish() {
    onEnd.accept(this);
    Exception cause = firstCause;
    if (cause == null) {
      done.complete(null);
      return;
    }
    @Nullable Outcome[] known = outcomes.clone();
    List<Outcome> all =
        Arrays.stream(known).map(outcome -> outcome == null ? Outcome.UNKNOWN : outcome).toList();
    if (all.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
      done.complete(null); // the last one was confirmed while the batch was being abandoned
      return;
    }
    done.completeExceptionally(
        new SendFailedException(
            endpoint + ": not every message was confirmed: " + Errors.reason(cause), all, cause));
  }

  /**
   * Whether a failure that the broker or the producer's thread reported is certain. Everything else
   * may hide an earlier attempt that was stored and whose answer was lost.
   */
  private static boolean isDefinite(Exception failure) {
    return failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof InvalidTopicException
        || failure instanceof InvalidRecordException;
  }

  /** One message's outcome; the first one reported counts. */
  final class MessageCallback implements Callback {

    private final int index;
    private boolean reported;

    private MessageCallback(int index) {
      this.index = index;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
      if (failure == null) {
        report(Outcome.CONFIRMED, null);
      } else if (Thread.currentThread() == sender && handingOver) {
        // From its send method the producer calls back only when it did not take the message: no
        // room or no metadata in time, or too large. Later the same thread may be the producer's
        // own, if the user sends where the last batch ended.
        blocked |= failure instanceof TimeoutException;
        report(Outcome.REJECTED, failure);
      } else {
        report(isDefinite(failure) ? Outcome.REJECTED : Outcome.UNKNOWN, failure);
      }
    }

    /** A failed producer throws after it took the message, and may call back as well. */
    void report(Outcome outcome, @Nullable Exception cause) {
      synchronized (this) {
        if (reported) {
          return;
        }
        reported = true;
      }
      end(index, outcome, cause);
    }
  }
}
