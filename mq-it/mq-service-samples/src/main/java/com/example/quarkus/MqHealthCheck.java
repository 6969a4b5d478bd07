package com.example.quarkus;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;
import org.mqproof.Mq;
import org.mqproof.MqException;

// health {
@Readiness
@ApplicationScoped
class MqHealthCheck implements HealthCheck {

  @Inject Mq mq;
  @Inject MqConfig config;

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder response = HealthCheckResponse.named("mq");
    try {
      mq.createQueue(config.queue()); // idempotent; throws within Traits.callBound()
      return response.up().withData("mode", mq.traits().mode()).build();
    } catch (MqException e) {
      return response.down().withData("error", e.getMessage()).build();
    }
  }
}
// }
