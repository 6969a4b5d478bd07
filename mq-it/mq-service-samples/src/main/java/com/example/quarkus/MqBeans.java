package com.example.quarkus;

import com.example.orders.OrderSender;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.mqproof.Mq;
import org.mqproof.micrometer.MqMetrics;
import org.mqproof.spi.MqProvider;

// beans {
@ApplicationScoped
class MqBeans {

  @Produces
  @ApplicationScoped
  Mq mq(MqConfig config, MeterRegistry registry) {
    Mq mq = MqProvider.named(config.system()).connect(config.settings());
    mq.createQueue(config.queue());
    return MqMetrics.monitor(registry, mq, config.system());
  }

  void close(@Disposes Mq mq) {
    mq.close();
  }

  @Produces
  @Singleton
  OrderSender sender(Mq mq, MqConfig config) {
    return new OrderSender(mq, config.queue());
  }

  void close(@Disposes OrderSender sender) {
    sender.close();
  }
}
// }
