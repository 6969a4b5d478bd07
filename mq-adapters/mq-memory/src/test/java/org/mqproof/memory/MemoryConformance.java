package org.mqproof.memory;

import java.time.Duration;
import org.mqproof.Mq;
import org.mqproof.conformance.MqConformance;

/** The kit on two brokers of this JVM: one that is well, and one that is dead or hung. */
public abstract class MemoryConformance extends MqConformance {

  private final MemoryBroker broker;
  private final MemoryBroker sick;

  /**
   * For one test.
   *
   * @param broker the one that is well
   * @param sickCallBound longest time of a call to the other one
   */
  protected MemoryConformance(MemoryBroker broker, Duration sickCallBound) {
    this.broker = broker;
    sick = MemoryBroker.builder().name("sick").callBound(sickCallBound).build();
  }

  /** The one that is well. */
  protected final MemoryBroker broker() {
    return broker;
  }

  /** What the kit gets instead of a right connection. */
  protected Mq tried(Mq right) {
    return right;
  }

  @Override
  protected Mq connect() {
    return tried(broker.connect());
  }

  @Override
  protected final Mq connectToDead() {
    Mq mq = tried(sick.connect());
    sick.refuse();
    return mq;
  }

  @Override
  protected final Mq connectToHung() {
    Mq mq = tried(sick.connect());
    sick.hang();
    return mq;
  }

  @Override
  protected final String deadEndpoint() {
    return "memory:sick";
  }

  @Override
  protected final String hungEndpoint() {
    return "memory:sick";
  }

  @Override
  protected void elapse(Duration time) {
    broker.advance(time);
  }
}
