package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
}
