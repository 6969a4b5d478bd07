package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/** Wrappers that change nothing, for defects to change one thing. As thread-safe as the wrapped. */
final class Forwarding {

  private Forwarding() {}

  static class ForwardingMq implements Mq {

    final Mq inner;

    ForwardingMq(Mq inner) {
      this.inner = inner;
    }

    /** For a defect of the sender. */
    Sender broken(String queue, Sender healthy) {
      return healthy;
    }

    /** For a defect of the receiver. */
    Receiver broken(String queue, Receiver healthy) {
      return healthy;
    }

    @Override
    public void createQueue(String queue) {
      inner.createQueue(queue);
    }

    @Override
    public void deleteQueue(String queue) {
      inner.deleteQueue(queue);
    }

    @Override
    public Sender sender(String queue) {
      return broken(queue, inner.sender(queue));
    }

    @Override
    public Receiver receiver(String queue) {
      return broken(queue, inner.receiver(queue));
    }

    @Override
    public Traits traits() {
      return inner.traits();
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  /** How the receiver of a queue is broken. */
  interface Breaking {
    Receiver broken(String queue, Receiver healthy);
  }

  /** Breaks each receiver, and nothing else. */
  static Mq breaking(Mq healthy, Breaking breaking) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return breaking.broken(queue, receiver);
      }
    };
  }

  static class ForwardingSender implements Sender {

    final Sender inner;

    ForwardingSender(Sender inner) {
      this.inner = inner;
    }

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      inner.send(batch);
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      return inner.sendAsync(batch);
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  static class ForwardingReceiver implements Receiver {

    final Receiver inner;

    ForwardingReceiver(Receiver inner) {
      this.inner = inner;
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      return inner.receive(max, timeout);
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return inner.ack(deliveries);
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  /** Forwards what came to the contract after 0.1.0 too. */
  static class FullReceiver extends ForwardingReceiver {

    FullReceiver(Receiver inner) {
      super(inner);
    }

    @Override
    public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
      return inner.release(deliveries);
    }

    @Override
    public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
      return inner.extend(deliveries);
    }
  }

  /** Hands out deliveries of its own. */
  abstract static class WrappingReceiver extends FullReceiver {

    private final Map<Delivery, Delivery> inside = new ConcurrentHashMap<>();

    WrappingReceiver(Receiver inner) {
      super(inner);
    }

    abstract Delivery wrapped(Delivery delivery);

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      List<Delivery> batch = new ArrayList<>();
      for (Delivery delivery : inner.receive(max, timeout)) {
        Delivery wrapped = wrapped(delivery);
        inside.put(wrapped, delivery);
        batch.add(wrapped);
      }
      return batch;
    }

    private List<Delivery> inside(Collection<? extends Delivery> deliveries) {
      List<Delivery> unwrapped = new ArrayList<>();
      deliveries.forEach(delivery -> unwrapped.add(inside.getOrDefault(delivery, delivery)));
      return unwrapped;
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return inner.ack(inside(deliveries));
    }

    @Override
    public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
      return inner.release(inside(deliveries));
    }

    @Override
    public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
      return inner.extend(inside(deliveries));
    }
  }
}
