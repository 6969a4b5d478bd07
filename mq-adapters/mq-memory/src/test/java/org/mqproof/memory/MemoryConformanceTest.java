package org.mqproof.memory;

import java.time.Duration;
import org.mqproof.Mq;
import org.mqproof.conformance.MqConformance;

/** The reference queue keeps every rule. */
class MemoryConformanceTest extends MqConformance {

  private final MemoryBroker broker = MemoryBroker.builder().name("well").build();
  private final MemoryBroker sick =
      MemoryBroker.builder().name("sick").callBound(Duration.ofMillis(200)).build();

  @Override
  protected Mq connect() {
    return broker.connect();
  }

  @Override
  protected Mq connectToDead() {
    Mq mq = sick.connect();
    sick.refuse();
    return mq;
  }

  @Override
  protected Mq connectToHung() {
    Mq mq = sick.connect();
    sick.hang();
    return mq;
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

  /** Shorter for mutation testing, where most broken queues leave the kit waiting. */
  @Override
  protected Duration patience() {
    return Duration.ofMillis(Long.getLong("memory.patience.millis", super.patience().toMillis()));
  }

  @Override
  protected Duration window() {
    return Duration.ofMillis(50);
  }
}
