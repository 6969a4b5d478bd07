package com.example.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.Await;
import com.example.orders.OrderSender;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.memory.MemoryBroker;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class SpringTest {

  private static final BlockingQueue<Message> HANDLED = new LinkedBlockingQueue<>();

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(MqConfiguration.class)
  static class Application {

    @Bean
    Consumer<Message> handler() {
      return HANDLED::add;
    }
  }

  @Test
  void theApplicationTakesOrdersIsHealthyAndStopsInOrder() throws Exception {
    MeterRegistry registry;
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .run(
                "--mqproof.system=memory",
                "--mqproof.queue=orders",
                "--mqproof.settings.broker=spring",
                "--mqproof.settings.call.bound=200ms")) {
      registry = context.getBean(MeterRegistry.class);
      context.getBean(OrderSender.class).send("tea".getBytes(UTF_8));
      assertThat(Await.next(HANDLED).body()).asString(UTF_8).isEqualTo("tea");
      assertThat(context.getBean(HealthEndpoint.class).healthForPath("mq").getStatus())
          .isEqualTo(Status.UP);
      assertThat(ours(registry)).isNotEmpty();
      assertThat(context.getBean(OrderLifecycle.class).isRunning()).isTrue();
    }
    assertThat(ours(registry)).isEmpty();
  }

  private static List<String> ours(MeterRegistry registry) {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .map(Meter.Id::getName)
        .filter(name -> name.startsWith("mqproof"))
        .toList();
  }

  @Test
  void aSystemThatDoesNotAnswerIsDown() {
    MemoryBroker broker = MemoryBroker.builder().name("down").build();
    MqHealthIndicator indicator = new MqHealthIndicator(broker.connect(), "orders");
    assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
    broker.refuse();
    Health health = indicator.health();
    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
    assertThat(health.getDetails().toString()).contains("memory:down");
  }
}
