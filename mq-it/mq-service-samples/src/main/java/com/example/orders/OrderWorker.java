package com.example.orders;

import static java.util.logging.Level.WARNING;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.Sender;

/** Receives orders in a thread of its own until it is closed. Thread-safe. */
public final class OrderWorker implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(OrderWorker.class.getName());
  private static final int MOST_ATTEMPTS = 5;

  private final Mq mq;
  private final String queue;
  private final Consumer<Message> handler;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "orders");

  public OrderWorker(Mq mq, String queue, Consumer<Message> handler) {
    this.mq = mq;
    this.queue = queue;
    this.handler = handler;
    thread.start();
  }

  // loop {
  private void run() {
    try {
      do {
        receiveWhileItWorks();
      } while (!stop.await(1, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      // Nothing is lost: the receiver gave back what it held.
    }
  }

  private void receiveWhileItWorks() throws InterruptedException {
    try (Receiver receiver = mq.receiver(queue)) {
      while (stop.getCount() > 0) {
        handle(receiver, receiver.receive(10, Duration.ofSeconds(1)));
      }
    } catch (MqException e) {
      LOG.log(WARNING, "the next receiver opens in a second", e);
    }
  }

  private void handle(Receiver receiver, List<Delivery> deliveries) throws InterruptedException {
    List<Delivery> done = new ArrayList<>();
    List<Delivery> failed = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      (isDone(delivery) ? done : failed).add(delivery);
    }
    // Not waited for: in a Kafka group an ack completes after the acks of all that came before.
    logIfItFails("ack", receiver.ack(done));
    if (mq.traits().release() != Release.NONE) { // else they come again when their claims end
      logIfItFails("release", receiver.release(failed));
    }
  }

  private boolean isDone(Delivery delivery) throws InterruptedException {
    try {
      handler.accept(delivery.message());
      return true;
    } catch (RuntimeException e) {
      LOG.log(WARNING, "attempt " + delivery.attempt() + " failed: " + delivery.message(), e);
      if (delivery.attempt().orElse(1) < MOST_ATTEMPTS) {
        return false;
      }
    }
    try (Sender sender = mq.sender(queue + ".failed")) {
      sender.send(List.of(delivery.message())); // safe there before it is acked here
    }
    return true;
  }

  // }

  /** A message whose ack failed may come again, with an id that the handler knows. */
  private static void logIfItFails(String what, CompletableFuture<Void> future) {
    var unused =
        future.exceptionally(
            e -> {
              LOG.log(WARNING, what + " failed", e);
              return null;
            });
  }

  /** Whether orders are received, or will be again when the system answers. */
  public boolean isRunning() {
    return thread.isAlive();
  }

  /**
   * Returns when the deliveries in hand are processed and acked; after 20 s they are given back.
   */
  @Override
  public void close() {
    stop.countDown();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(20));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
  }
}
