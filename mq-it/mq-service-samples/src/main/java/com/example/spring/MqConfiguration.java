package com.example.spring;

import com.example.orders.OncePerId;
import com.example.orders.OrderSender;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.micrometer.MqMetrics;
import org.mqproof.spi.MqProvider;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

// beans {
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(MqProperties.class)
class MqConfiguration {

  @Bean(destroyMethod = "close")
  Mq mq(MqProperties properties, MeterRegistry registry) {
    Mq mq = MqProvider.named(properties.system()).connect(properties.settings());
    return MqMetrics.monitor(registry, mq, properties.system());
  }

  @Bean(destroyMethod = "close")
  OrderSender orderSender(Mq mq, MqProperties properties) {
    mq.createQueue(properties.queue());
    return new OrderSender(mq, properties.queue());
  }

  @Bean
  OrderLifecycle orderLifecycle(Mq mq, MqProperties properties, Consumer<Message> handler) {
    return new OrderLifecycle(mq, properties.queue(), new OncePerId(handler));
  }

  @Bean
  HealthIndicator mqHealthIndicator(Mq mq, MqProperties properties) {
    return new MqHealthIndicator(mq, properties.queue());
  }
}
// }
