package org.mqproof.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;

/** Meters of one queue's senders. Thread-safe. */
final class SendMeters {

  private final Clock clock;
  private final Map<Outcome, Timer> batches;
  private final Map<Outcome, Counter> messages;

  SendMeters(Meters meters) {
    clock = meters.clock();
    batches = meters.timers("mqproof.send", "Batches, until their outcome is known", Outcome.class);
    messages =
        meters.counters("mqproof.sent", "messages", "Messages that were sent", Outcome.class);
  }

  long nanoTime() {
    return clock.monotonicTime();
  }

  /** A batch has ended, with this failure or with none. */
  void sent(int size, @Nullable Throwable failure, long startNanos) {
    if (size == 0) {
      return;
    }
    Outcome worst = Outcome.CONFIRMED;
    if (failure == null) {
      count(Outcome.CONFIRMED, size);
    } else if (failure instanceof SendFailedException e) {
      for (Outcome outcome : e.outcomes()) {
        count(outcome, 1);
        worst = outcome.compareTo(worst) > 0 ? outcome : worst;
      }
    } else {
      count(Outcome.UNKNOWN, size);
      worst = Outcome.UNKNOWN;
    }
    Objects.requireNonNull(batches.get(worst))
        .record(nanoTime() - startNanos, TimeUnit.NANOSECONDS);
  }

  private void count(Outcome outcome, int count) {
    Objects.requireNonNull(messages.get(outcome)).increment(count);
  }
}
