package org.mqproof.jms;

import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.support.PendingBatch;

/** A batch on its way to a queue, without what was rejected at once. Thread-safe. */
record SendBatch(PendingBatch outcomes, String queue, long bytes) {

  static SendBatch of(PendingBatch outcomes, String queue) {
    long bytes = 0;
    for (int i = 0; i < outcomes.size(); i++) {
      bytes += outcomes.isRefused(i) ? 0 : outcomes.message(i).sizeBytes();
    }
    return new SendBatch(outcomes, queue, bytes);
  }

  int size() {
    return outcomes.size();
  }

  long deadlineNanos() {
    return outcomes.deadlineNanos();
  }

  long nanosLeft() {
    return deadlineNanos() - System.nanoTime();
  }

  Message message(int index) {
    return outcomes.message(index);
  }

  /** Whether this message has no outcome so far. */
  boolean isOpen(int index) {
    return !outcomes.isSettled(index);
  }

  /** The outcome of one message. */
  void end(int index, Outcome outcome, @Nullable Exception cause) {
    outcomes.end(index, outcome, cause);
  }

  /** The same outcome for all that have none. */
  void endAll(Outcome outcome, @Nullable Exception cause) {
    outcomes.endRest(outcome, cause);
  }
}
