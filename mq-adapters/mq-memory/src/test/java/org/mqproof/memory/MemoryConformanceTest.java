package org.mqproof.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mqproof.Mq;

/** The reference queue keeps every rule. */
class MemoryConformanceTest extends MemoryConformance {

  MemoryConformanceTest() {
    super(MemoryBroker.builder().name("well").build(), Duration.ofMillis(200));
  }

  /** The kit skips what is about release and extend where a receiver has the defaults. */
  @Test
  void theReceiverIsOfThisContract() throws Exception {
    try (Mq mq = connect()) {
      mq.createQueue("methods");
      Class<?> receiver = mq.receiver("methods").getClass();
      for (String method : List.of("release", "extend")) {
        assertThat(receiver.getMethod(method, Collection.class).getDeclaringClass())
            .as(method)
            .isEqualTo(receiver);
      }
    }
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
