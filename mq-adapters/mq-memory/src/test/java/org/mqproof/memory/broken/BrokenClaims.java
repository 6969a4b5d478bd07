package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;

/** Ways to get claims wrong. As thread-safe as what they wrap. */
final class BrokenClaims {

  private BrokenClaims() {}

  /**
   * A claim is written and its answer not awaited: it takes effect some time later, here when its
   * receiver comes back for more. Until then others claim the same message.
   */
  static Mq unacknowledgedClaim(Mq healthy) {
    Map<String, Map<Delivery, Receiver>> unwritten = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new LateWriter(
            receiver, unwritten.computeIfAbsent(queue, name -> new ConcurrentHashMap<>()));
      }
    };
  }

  /** The service agrees to a stale receipt handle, does nothing, and is believed. */
  static Mq staleHandleBelieved(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            return inner.ack(deliveries).exceptionally(failure -> null);
          }
        };
      }
    };
  }

  /** A receiver whose claims others do not see until its next call. */
  private static final class LateWriter extends ForwardingReceiver {

    private final Map<Delivery, Receiver> unwritten;
    private final Map<Delivery, Receiver> owners = new HashMap<>();
    private final Set<Delivery> last = ConcurrentHashMap.newKeySet();

    /**
     * Wraps a receiver.
     *
     * @param unwritten by delivery, the receiver that really holds it; shared by all of a queue
     */
    LateWriter(Receiver receiver, Map<Delivery, Receiver> unwritten) {
      super(receiver);
      this.unwritten = unwritten;
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      write();
      List<Delivery> batch = new ArrayList<>();
      unwritten.forEach(
          (delivery, owner) -> {
            if (batch.size() < max && unwritten.remove(delivery, owner)) {
              batch.add(delivery);
              owners.put(delivery, owner);
            }
          });
      if (!batch.isEmpty()) {
        return batch;
      }
      for (Delivery delivery : inner.receive(max, timeout)) {
        batch.add(delivery);
        owners.put(delivery, inner);
        unwritten.put(delivery, inner);
        last.add(delivery);
      }
      return batch;
    }

    private void write() {
      unwritten.keySet().removeAll(last);
      last.clear();
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      Map<Receiver, List<Delivery>> byOwner = new HashMap<>();
      for (Delivery delivery : deliveries) {
        byOwner
            .computeIfAbsent(owners.getOrDefault(delivery, inner), owner -> new ArrayList<>())
            .add(delivery);
      }
      if (byOwner.isEmpty()) {
        return inner.ack(deliveries);
      }
      return CompletableFuture.allOf(
          byOwner.entrySet().stream()
              .map(entry -> entry.getKey().ack(entry.getValue()))
              .toArray(CompletableFuture[]::new));
    }

    @Override
    public void close() {
      write();
      super.close();
    }
  }
}
