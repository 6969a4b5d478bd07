package org.mqproof.memory;

import java.time.Duration;
import org.mqproof.Mq;

/** The kit reads the trait of most deliveries in flight, and the queue keeps to it. */
class FewInFlightConformanceTest extends MemoryConformanceTest {

  private final MemoryBroker broker =
      MemoryBroker.builder().name("few").mostInFlight(4).claimPeriod(Duration.ofHours(2)).build();

  @Override
  protected Mq connect() {
    return broker.connect();
  }

  @Override
  protected void elapse(Duration time) {
    broker.advance(time);
  }
}
