package org.mqproof.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import org.mqproof.Outcome;

/** What the meters of all queues of a registry say together. */
record Readings(MeterRegistry registry) {

  long sent(Outcome outcome) {
    return counted("mqproof.sent", text(outcome));
  }

  long acks(Outcome outcome) {
    return counted("mqproof.acks", text(outcome));
  }

  long releases(String outcome) {
    return counted("mqproof.releases", outcome);
  }

  long deliveries() {
    return Math.round(registry.get("mqproof.deliveries").counter().count());
  }

  long processed() {
    return registry.get("mqproof.processing").timer().count();
  }

  long timed(String timer, String outcome) {
    return registry.get(timer).tag("outcome", outcome).timer().count();
  }

  long inFlight() {
    return Math.round(registry.get("mqproof.in.flight").gauge().value());
  }

  private long counted(String counter, String outcome) {
    return Math.round(registry.get(counter).tag("outcome", outcome).counter().count());
  }

  private static String text(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
