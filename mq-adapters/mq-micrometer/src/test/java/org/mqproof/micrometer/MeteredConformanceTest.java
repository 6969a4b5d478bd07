package org.mqproof.micrometer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.mqproof.Mq;
import org.mqproof.conformance.MqConformance;
import org.mqproof.memory.MemoryBroker;

/** The kit on a queue with meters: all connections of the class share one registry. */
class MeteredConformanceTest extends MqConformance {

  private static final SimpleMeterRegistry REGISTRY = new SimpleMeterRegistry();

  private final MemoryBroker broker = MemoryBroker.builder().name("well").build();
  private final MemoryBroker sick =
      MemoryBroker.builder().name("sick").callBound(Duration.ofMillis(200)).build();

  @Override
  protected Mq connect() {
    return monitored(broker);
  }

  @Override
  protected Mq connectToDead() {
    Mq mq = monitored(sick);
    sick.refuse();
    return mq;
  }

  @Override
  protected Mq connectToHung() {
    Mq mq = monitored(sick);
    sick.hang();
    return mq;
  }

  private static Mq monitored(MemoryBroker broker) {
    return MqMetrics.monitor(REGISTRY, broker.connect(), "memory");
  }

  @Override
  protected String deadEndpoint() {
    return "memory:sick";
  }

  @Override
  protected String hungEndpoint() {
    return "memory:sick";
  }

  @Override
  protected void elapse(Duration time) {
    broker.advance(time);
  }

  @Override
  protected Duration window() {
    return Duration.ofMillis(50);
  }
}
