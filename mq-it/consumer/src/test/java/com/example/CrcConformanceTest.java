package com.example;

import com.example.crc.CrcMq;
import java.time.Duration;
import org.mqproof.Mq;
import org.mqproof.conformance.MqConformance;
import org.mqproof.memory.MemoryBroker;

/** The kit on an adapter that is not MqProof's. */
class CrcConformanceTest extends MqConformance {

  private final MemoryBroker broker = MemoryBroker.builder().name("well").build();
  private final MemoryBroker sick =
      MemoryBroker.builder().name("sick").callBound(Duration.ofMillis(200)).build();

  @Override
  protected Mq connect() {
    return new CrcMq(broker.connect());
  }

  @Override
  protected Mq connectToDead() {
    Mq mq = new CrcMq(sick.connect());
    sick.refuse();
    return mq;
  }

  @Override
  protected Mq connectToHung() {
    Mq mq = new CrcMq(sick.connect());
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

  @Override
  protected Duration window() {
    return Duration.ofMillis(50);
  }
}
