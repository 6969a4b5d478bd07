package com.example.spring;

import com.example.orders.OrderWorker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.springframework.context.SmartLifecycle;

// lifecycle {
/** In the default phase: starts after the web server, and stops before it and before all beans. */
final class OrderLifecycle implements SmartLifecycle {

  private final Mq mq;
  private final String queue;
  private final Consumer<Message> handler;
  private @Nullable OrderWorker worker;

  OrderLifecycle(Mq mq, String queue, Consumer<Message> handler) {
    this.mq = mq;
    this.queue = queue;
    this.handler = handler;
  }

  @Override
  public synchronized void start() {
    mq.createQueue(queue);
    mq.createQueue(queue + ".failed");
    worker = new OrderWorker(mq, queue, handler);
  }

  @Override
  public synchronized void stop() {
    if (worker != null) {
      worker.close();
      worker = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return worker != null && worker.isRunning();
  }
}
// }
