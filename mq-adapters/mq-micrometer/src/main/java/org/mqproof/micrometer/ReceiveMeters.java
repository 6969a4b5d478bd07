package org.mqproof.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.mqproof.Outcome;

/** Meters of one queue's receivers. Thread-safe. */
final class ReceiveMeters {

  /** How a call of receive ended. */
  enum Received {
    DELIVERED,
    EMPTY,
    FAILED
  }

  /** What became of a release: no system says that one certainly did not happen. */
  enum Released {
    CONFIRMED,
    UNKNOWN
  }

  private final Clock clock;
  private final Map<Received, Timer> receives;
  private final Counter deliveries;
  private final Timer processing;
  private final Map<Outcome, Counter> acks;
  private final Map<Released, Counter> releases;
  private final LongAdder inFlight = new LongAdder();

  ReceiveMeters(Meters meters) {
    clock = meters.clock();
    receives = meters.timers("mqproof.receive", "Waits for messages", Received.class);
    deliveries = meters.counter("mqproof.deliveries", "deliveries", "Deliveries to receivers");
    processing = meters.timer("mqproof.processing", "From a delivery to the ack that settled it");
    acks = meters.counters("mqproof.acks", "acks", "Deliveries given to ack", Outcome.class);
    releases =
        meters.counters(
            "mqproof.releases", "releases", "Deliveries given to release", Released.class);
    meters.gauge(
        "mqproof.in.flight", "deliveries", "Deliveries neither acked nor released", inFlight);
  }

  long nanoTime() {
    return clock.monotonicTime();
  }

  void received(Received how, int count, long nanos) {
    Objects.requireNonNull(receives.get(how)).record(nanos, TimeUnit.NANOSECONDS);
    if (count > 0) {
      deliveries.increment(count);
    }
  }

  void inFlight(int change) {
    if (change != 0) {
      inFlight.add(change);
    }
  }

  void processed(long nanos) {
    processing.record(nanos, TimeUnit.NANOSECONDS);
  }

  void acked(Outcome outcome, int count) {
    if (count > 0) {
      Objects.requireNonNull(acks.get(outcome)).increment(count);
    }
  }

  void released(Released how, int count) {
    if (count > 0) {
      Objects.requireNonNull(releases.get(how)).increment(count);
    }
  }
}
