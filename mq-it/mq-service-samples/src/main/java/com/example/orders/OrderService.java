package com.example.orders;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.micrometer.MqMetrics;
import org.mqproof.spi.MqProvider;

/** A service without a framework. Thread-safe. */
public final class OrderService implements AutoCloseable {

  private static final String QUEUE = "orders";

  // life {
  private final Mq mq;
  private final OrderSender sender;
  private final OrderWorker worker;

  public OrderService(
      String system,
      Map<String, String> settings,
      MeterRegistry registry,
      Consumer<Message> handler) {
    mq = MqMetrics.monitor(registry, MqProvider.named(system).connect(settings), system);
    try {
      mq.createQueue(QUEUE);
      mq.createQueue(QUEUE + ".failed");
      sender = new OrderSender(mq, QUEUE);
      worker = new OrderWorker(mq, QUEUE, new OncePerId(handler));
    } catch (RuntimeException e) {
      mq.close();
      throw e;
    }
  }

  public void order(byte[] order) throws InterruptedException {
    sender.send(order);
  }

  /** For the probe that decides whether requests are routed here. */
  public boolean isReady() {
    try {
      mq.createQueue(QUEUE); // idempotent; asks the system and is bounded by Traits.callBound()
      return worker.isRunning();
    } catch (MqException e) {
      return false;
    }
  }

  /** Call it from a shutdown hook, after the last order was taken in. */
  @Override
  public void close() {
    worker.close(); // finishes what is in hand
    sender.close(); // waits for what was started
    mq.close(); // closes what is left, then the connections
  }
  // }
}
