package com.example.spring;

import org.mqproof.Mq;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

// health {
/** Shown as {@code mq} in {@code /actuator/health}; add it to the group {@code readiness}. */
final class MqHealthIndicator extends AbstractHealthIndicator {

  private final Mq mq;
  private final String queue;

  MqHealthIndicator(Mq mq, String queue) {
    this.mq = mq;
    this.queue = queue;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    mq.createQueue(queue); // idempotent; throws within Traits.callBound(): then the state is DOWN
    builder.up().withDetail("mode", mq.traits().mode());
  }
}
// }
