package com.example.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.Await;
import com.example.orders.OrderSender;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.config.SmallRyeConfigBuilder;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Mq;

/** The beans in Weld, a CDI container that starts without the build step of Quarkus. */
class QuarkusTest {

  private static final BlockingQueue<Message> HANDLED = new LinkedBlockingQueue<>();
  private static final SimpleMeterRegistry REGISTRY = new SimpleMeterRegistry();

  /** What the application, its configuration and the extension quarkus-micrometer bring. */
  @ApplicationScoped
  static class Others {

    @Produces
    MqConfig config() {
      return new SmallRyeConfigBuilder()
          .withMapping(MqConfig.class)
          .withDefaultValue("mqproof.system", "memory")
          .withDefaultValue("mqproof.queue", "orders")
          .withDefaultValue("mqproof.settings.broker", "quarkus")
          .withDefaultValue("mqproof.settings.\"call.bound\"", "200ms")
          .build()
          .getConfigMapping(MqConfig.class);
    }

    @Produces
    Consumer<Message> handler() {
      return HANDLED::add;
    }

    @Produces
    MeterRegistry registry() {
      return REGISTRY;
    }
  }

  @Test
  void theApplicationTakesOrdersIsReadyAndStopsInOrder() throws Exception {
    try (SeContainer container =
        SeContainerInitializer.newInstance()
            .disableDiscovery()
            .addBeanClasses(MqBeans.class, OrderConsumer.class, MqHealthCheck.class, Others.class)
            .initialize()) {
      container.getBeanManager().getEvent().fire(new StartupEvent());
      container.select(OrderSender.class).get().send("tea".getBytes(UTF_8));
      assertThat(Await.next(HANDLED).body()).asString(UTF_8).isEqualTo("tea");
      assertThat(ready(container)).isEqualTo(HealthCheckResponse.Status.UP);
      assertThat(REGISTRY.getMeters()).isNotEmpty();

      container.getBeanManager().getEvent().fire(new ShutdownEvent());
      assertThat(container.select(Mq.class).get().traits().mode()).isEqualTo("memory");
      assertThat(ready(container)).as("still connected").isEqualTo(HealthCheckResponse.Status.UP);
    }
    assertThat(REGISTRY.getMeters()).as("closed with the container").isEmpty();
  }

  private static HealthCheckResponse.Status ready(SeContainer container) {
    return container
        .select(MqHealthCheck.class, Readiness.Literal.INSTANCE)
        .get()
        .call()
        .getStatus();
  }
}
