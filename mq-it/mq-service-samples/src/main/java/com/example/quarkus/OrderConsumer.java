package com.example.quarkus;

import com.example.orders.OncePerId;
import com.example.orders.OrderWorker;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;

// consumer {
@ApplicationScoped
class OrderConsumer {

  @Inject Mq mq;
  @Inject MqConfig config;
  @Inject Consumer<Message> handler;
  private @Nullable OrderWorker worker;

  void start(@Observes StartupEvent event) {
    mq.createQueue(config.queue() + ".failed");
    worker = new OrderWorker(mq, config.queue(), new OncePerId(handler));
  }

  /** Comes before the beans are destroyed, so that the connection is still open. */
  void stop(@Observes ShutdownEvent event) {
    worker.close();
  }
}
// }
