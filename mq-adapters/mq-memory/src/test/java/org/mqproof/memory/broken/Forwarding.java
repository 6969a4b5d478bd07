package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
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

  /** Breaks each sender, and nothing else. */
  static Mq breakingSenders(Mq healthy, UnaryOperator<Sender> breaking) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return breaking.apply(sender);
      }
    };
  }

  /** Sends each batch changed, and breaks nothing else. */
  static Mq changingBatches(Mq healthy, UnaryOperator<List<Message>> change) {
    return breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              @Override
              public void send(List<Message> batch) throws InterruptedException {
                inner.send(change.apply(batch));
              }

              @Override
              public CompletableFuture<Void> sendAsync(List<Message> batch) {
                return inner.sendAsync(change.apply(batch));
              }
            });
  }

  /** What a sender makes of a batch that failed. */
  interface FailedSend {
    void failed(List<Message> batch, SendFailedException failure) throws InterruptedException;
  }

  /** Changes how {@code send} fails, and breaks nothing else. */
  static Mq failing(Mq healthy, FailedSend failing) {
    return breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              @Override
              public void send(List<Message> batch) throws InterruptedException {
                try {
                  inner.send(batch);
                } catch (SendFailedException e) {
                  failing.failed(batch, e);
                }
              }
            });
  }

  /** Deliveries that are the same object. Thread-safe. */
  static Set<Delivery> identitySet() {
    return Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  /** Names a message of a queue, where bodies differ. */
  static String key(String queue, Delivery delivery) {
    return queue + " " + new String(delivery.message().body(), ISO_8859_1);
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

  /** Refuses calls after its close, which leaves the wrapped one open. */
  static class KeptOpenReceiver extends ForwardingReceiver {

    private boolean closed;

    KeptOpenReceiver(Receiver inner) {
      super(inner);
    }

    private void requireOpen() {
      if (closed) {
        throw new IllegalStateException("closed");
      }
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      requireOpen();
      return inner.receive(max, timeout);
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      requireOpen();
      return inner.ack(deliveries);
    }

    @Override
    public void close() {
      closed = true;
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
