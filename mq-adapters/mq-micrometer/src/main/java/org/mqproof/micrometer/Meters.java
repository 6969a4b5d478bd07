package org.mqproof.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Registers the meters of one queue. Not thread-safe. */
final class Meters {

  private final MeterRegistry registry;
  private final Tags tags;
  private final Consumer<Meter> registered;

  Meters(MeterRegistry registry, Tags tags, Consumer<Meter> registered) {
    this.registry = registry;
    this.tags = tags;
    this.registered = registered;
  }

  Clock clock() {
    return registry.config().clock();
  }

  Timer timer(String name, String description) {
    return registered(Timer.builder(name).description(description).tags(tags).register(registry));
  }

  /** One per value of the tag {@code outcome}. */
  <E extends Enum<E>> Map<E, Timer> timers(String name, String description, Class<E> values) {
    Map<E, Timer> timers = new EnumMap<>(values);
    for (E outcome : values.getEnumConstants()) {
      timers.put(
          outcome,
          registered(
              Timer.builder(name)
                  .description(description)
                  .tags(tags.and("outcome", text(outcome)))
                  .register(registry)));
    }
    return timers;
  }

  Counter counter(String name, String unit, String description) {
    return registered(
        Counter.builder(name)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry));
  }

  /** One per value of the tag {@code outcome}. */
  <E extends Enum<E>> Map<E, Counter> counters(
      String name, String unit, String description, Class<E> values) {
    Map<E, Counter> counters = new EnumMap<>(values);
    for (E outcome : values.getEnumConstants()) {
      counters.put(
          outcome,
          registered(
              Counter.builder(name)
                  .description(description)
                  .baseUnit(unit)
                  .tags(tags.and("outcome", text(outcome)))
                  .register(registry)));
    }
    return counters;
  }

  void gauge(String name, String unit, String description, LongAdder value) {
    registered(
        Gauge.builder(name, value, LongAdder::sum)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry));
  }

  private static String text(Enum<?> outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  private <M extends Meter> M registered(M meter) {
    registered.accept(meter);
    return meter;
  }
}
