package org.mqproof.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Meters of the connections with one registry, system and mode. Thread-safe, by one lock for all:
 * who closes the last connection must not take the meters of who opens the next one.
 */
final class SystemMeters {

  private record Key(MeterRegistry registry, Tags tags) {}

  /** Of open connections only. Guarded by itself, as everything that is not final here. */
  private static final Map<Key, SystemMeters> OPEN = new HashMap<>();

  private final Key key;
  private final Map<String, SendMeters> sending = new HashMap<>();
  private final Map<String, ReceiveMeters> receiving = new HashMap<>();
  private final Set<String> queues = new HashSet<>();
  private final List<Meter> meters = new ArrayList<>();
  private int connections;

  private SystemMeters(Key key) {
    this.key = key;
  }

  /** For one more connection, which has to {@link #leave} when it is closed. */
  static SystemMeters join(MeterRegistry registry, String system, String mode) {
    Key key = new Key(registry, Tags.of("system", system, "mode", mode));
    synchronized (OPEN) {
      SystemMeters shared = OPEN.computeIfAbsent(key, SystemMeters::new);
      shared.connections++;
      return shared;
    }
  }

  void leave() {
    synchronized (OPEN) {
      connections--;
      if (connections == 0) {
        OPEN.remove(key);
        removeAll();
      }
    }
  }

  SendMeters sending(String queue) {
    return ofQueue(queue, sending, SendMeters::new);
  }

  ReceiveMeters receiving(String queue) {
    return ofQueue(queue, receiving, ReceiveMeters::new);
  }

  private <T> T ofQueue(String queue, Map<String, T> known, Function<Meters, T> make) {
    synchronized (OPEN) {
      if (queues.size() < MqMetrics.MOST_QUEUES) {
        queues.add(queue);
      }
      String tag = queues.contains(queue) ? queue : MqMetrics.OTHER_QUEUES;
      T found =
          known.computeIfAbsent(
              tag,
              t -> make.apply(new Meters(key.registry, key.tags.and("queue", t), meters::add)));
      if (connections == 0) { // closed by another thread, which has missed these
        removeAll();
      }
      return found;
    }
  }

  private void removeAll() {
    meters.forEach(key.registry::remove);
    meters.clear();
  }
}
