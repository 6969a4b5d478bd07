package org.mqproof.jms;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/**
 * One batch on its way, and what became of each of its messages. The first outcome of a message
 * counts. Thread-safe.
 */
final class SendBatch {

  private final String endpoint;
  private final String queue;
  private final List<Message> messages;
  private final Consumer<SendBatch> onEnd;
  private final long deadlineNanos;
  private final long bytes;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final @Nullable Outcome[] outcomes;
  private int open;
  private @Nullable Exception firstCause;

  /**
   * Nothing is known yet, except of bodies that are too large.
   *
   * @param onEnd is told once, before {@link #done} completes
   */
  SendBatch(JmsSettings settings, String queue, List<Message> batch, Consumer<SendBatch> onEnd) {
    this.queue = queue;
    this.onEnd = onEnd;
    messages = List.copyOf(batch);
    endpoint = settings.endpoint() + ", queue " + queue;
    deadlineNanos = System.nanoTime() + settings.callBound().toNanos();
    outcomes = new @Nullable Outcome[messages.size()];
    open = messages.size();
    int largest = settings.get(JmsSettings.MAX_BODY_BYTES);
    long sum = 0;
    for (int i = 0; i < outcomes.length; i++) {
      int length = messages.get(i).body().length;
      if (length > largest) {
        outcomes[i] = Outcome.REJECTED;
        open--;
        firstCause =
            new IllegalArgumentException(
                "a body has " + length + " bytes, and may have at most " + largest);
      } else {
        sum += length;
      }
    }
    bytes = sum;
  }

  /** Completes with nothing when all are confirmed, else with a {@link SendFailedException}. */
  CompletableFuture<Void> done() {
    return done;
  }

  String queue() {
    return queue;
  }

  int size() {
    return messages.size();
  }

  long bytes() {
    return bytes;
  }

  long nanosLeft() {
    return deadlineNanos - System.nanoTime();
  }

  byte[] body(int index) {
    return messages.get(index).body();
  }

  /** Whether this message has no outcome so far. */
  synchronized boolean isOpen(int index) {
    return outcomes[index] == null;
  }

  /** Ends at once if nothing is open: a batch that is empty or of bodies that are too large. */
  boolean endIfNothingIsOpen() {
    synchronized (this) {
      if (open > 0) {
        return false;
      }
    }
    finish();
    return true;
  }

  /** The outcome of one message. */
  void end(int index, Outcome outcome, @Nullable Exception cause) {
    synchronized (this) {
      if (outcomes[index] != null) {
        return;
      }
      outcomes[index] = outcome;
      note(cause);
      open--;
      if (open > 0) {
        return;
      }
    }
    finish();
  }

  /** The same outcome for all that have none. */
  void endAll(Outcome outcome, @Nullable Exception cause) {
    synchronized (this) {
      if (open == 0) {
        return;
      }
      for (int i = 0; i < outcomes.length; i++) {
        if (outcomes[i] == null) {
          outcomes[i] = outcome;
        }
      }
      note(cause);
      open = 0;
    }
    finish();
  }

  private void note(@Nullable Exception cause) {
    if (firstCause == null) {
      firstCause = cause;
    }
  }

  /** Called once, by whoever ended the last message. */
  private void finish() {
    List<Outcome> all;
    Exception cause;
    synchronized (this) {
      @Nullable Outcome[] known = outcomes.clone();
      all = Arrays.stream(known).map(o -> o == null ? Outcome.UNKNOWN : o).toList();
      cause = firstCause;
    }
    onEnd.accept(this);
    if (all.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
      done.complete(null);
      return;
    }
    String reason = cause == null ? "no reason was given" : Errors.reason(cause);
    done.completeExceptionally(
        new SendFailedException(
            endpoint + ": not every message was confirmed: " + reason, all, cause));
  }
}
