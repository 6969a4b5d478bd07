package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Traits;
import org.mqproof.memory.MemoryBroker;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;
import org.mqproof.memory.broken.Forwarding.KeptOpenReceiver;

/** Ways to get receiving and acking wrong. As thread-safe as what they wrap. */
final class BrokenReceivers {

  private static final int RING = 64;
  private static final int CONFIGURED_BATCH = 10;

  private BrokenReceivers() {}

  /** Messages are acked as they are received. */
  static Mq autoAck(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                inner.ack(batch).join();
                return batch;
              }
            });
  }

  /** The declared bound of 100 deliveries in flight is a wish. */
  static Mq moreInFlightThanDeclared(Mq healthy) {
    Traits real = healthy.traits();
    Traits declared;
    try (Mq few =
        MemoryBroker.builder()
            .mostInFlight(100)
            .claimPeriod(real.claimPeriod().orElseThrow())
            .callBound(real.callBound())
            .build()
            .connect()) {
      declared = few.traits();
    }
    return new ForwardingMq(healthy) {
      @Override
      public Traits traits() {
        return declared;
      }
    };
  }

  /** Claims are kept in a ring: beyond 64 the oldest is forgotten, and handed to another. */
  static Mq claimsInARing(Mq healthy) {
    Map<String, Set<Owned>> forgotten = new ConcurrentHashMap<>();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              private final Set<Owned> shared =
                  forgotten.computeIfAbsent(queue, q -> ConcurrentHashMap.newKeySet());
              private final Deque<Owned> ring = new ArrayDeque<>();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = new ArrayList<>();
                for (Owned other : List.copyOf(shared)) {
                  if (other.owner != inner && batch.size() < max && shared.remove(other)) {
                    batch.add(other);
                  }
                }
                if (!batch.isEmpty()) {
                  return batch;
                }
                for (Delivery delivery : inner.receive(max, timeout)) {
                  Owned owned = new Owned(delivery, inner);
                  batch.add(owned);
                  ring.add(owned);
                  if (ring.size() > RING) {
                    shared.add(ring.remove());
                  }
                }
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                ring.removeAll(deliveries);
                deliveries.forEach(shared::remove);
                return inner.ack(unwrapped(deliveries));
              }
            });
  }

  /** Close only forgets the receiver; its claims stay. */
  static Mq closeKeepsClaims(Mq healthy) {
    return Forwarding.breaking(healthy, (queue, receiver) -> new KeptOpenReceiver(receiver));
  }

  /** Of a batch the lowest offset is committed: a later one was overwritten. */
  static Mq lowestOffsetCommitted(Mq healthy) {
    return acking(healthy, deliveries -> deliveries.subList(0, Math.min(1, deliveries.size())));
  }

  /** The offset itself is committed instead of the next one: the last message is not covered. */
  static Mq offsetWithoutPlusOne(Mq healthy) {
    return acking(healthy, deliveries -> deliveries.subList(0, Math.max(0, deliveries.size() - 1)));
  }

  /** Acks wait for a commit timer that compares nanoseconds with milliseconds. */
  static Mq commitTimerNeverDue(Mq healthy) {
    return acking(healthy, deliveries -> List.of());
  }

  /** Acks are written when the next batch is received, but not on close. */
  static Mq acksForgottenOnClose(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              private final Set<Delivery> received = new HashSet<>();
              private final List<Delivery> pending = new ArrayList<>();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                inner.ack(pending).join();
                pending.clear();
                List<Delivery> batch = inner.receive(max, timeout);
                received.addAll(batch);
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                if (!received.containsAll(deliveries)) {
                  return inner.ack(deliveries);
                }
                pending.addAll(deliveries);
                return inner.ack(List.of());
              }
            });
  }

  /** "Multiple" is set: an ack settles everything received before it too. */
  static Mq ackOfOneAcksThePrefix(Mq healthy) {
    return withHistory(
        healthy,
        (received, deliveries) -> {
          int last = -1;
          for (Delivery delivery : deliveries) {
            last = Math.max(last, received.indexOf(delivery));
          }
          return received.subList(0, last + 1);
        });
  }

  /** Acknowledge is session-wide: everything received so far. */
  static Mq sessionWideAck(Mq healthy) {
    return withHistory(healthy, (received, deliveries) -> received);
  }

  /** Acks are counted: a second ack of one message settles the next. */
  static Mq doubleAckAcksTheNext(Mq healthy) {
    Set<Delivery> acked = ConcurrentHashMap.newKeySet();
    return withHistory(
        healthy,
        (received, deliveries) -> {
          Set<Delivery> settled = new LinkedHashSet<>(deliveries);
          for (Delivery delivery : deliveries) {
            if (!acked.add(delivery)) {
              received.stream()
                  .filter(next -> !acked.contains(next))
                  .findFirst()
                  .ifPresent(settled::add);
            }
          }
          return List.copyOf(settled);
        });
  }

  /** An ack names the message and not the claim: a late one settles whoever holds it now. */
  static Mq ackByMessage(Mq healthy) {
    Map<String, Owned> holders = new ConcurrentHashMap<>();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                batch.forEach(
                    delivery -> holders.put(key(queue, delivery), new Owned(delivery, inner)));
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                List<Delivery> here = new ArrayList<>();
                for (Delivery delivery : deliveries) {
                  Owned holder = holders.get(key(queue, delivery));
                  if (holder == null || holder.owner == inner) {
                    here.add(delivery);
                  } else {
                    holder.owner.ack(List.of(holder.delivery)).join();
                  }
                }
                return inner.ack(here);
              }
            });
  }

  /** A delivery of another receiver is acked like one's own. */
  static Mq anyonesAck(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                return inner.receive(max, timeout).stream()
                    .map(delivery -> (Delivery) new Owned(delivery, inner))
                    .toList();
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<?>[] acks =
                    deliveries.stream()
                        .map(delivery -> (Owned) delivery)
                        .map(owned -> owned.owner.ack(List.of(owned.delivery)))
                        .toArray(CompletableFuture[]::new);
                return acks.length == 0 ? inner.ack(List.of()) : CompletableFuture.allOf(acks);
              }
            });
  }

  /** A configured batch size is used instead of max. */
  static Mq maxIgnored(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                return inner.receive(max < 1 ? max : CONFIGURED_BATCH, timeout);
              }
            });
  }

  /** A full batch is waited for. */
  static Mq waitsForAFullBatch(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                long start = System.nanoTime();
                List<Delivery> batch = new ArrayList<>(inner.receive(max, timeout));
                while (batch.size() < max) {
                  Duration left = timeout.minusNanos(System.nanoTime() - start);
                  if (left.isNegative()) {
                    break;
                  }
                  try {
                    batch.addAll(inner.receive(max - batch.size(), left));
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    break;
                  }
                }
                return batch;
              }
            });
  }

  /** Nothing there: null. */
  @SuppressWarnings("NullAway") // on purpose
  static Mq nullAtTheTimeout(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                return batch.isEmpty() ? null : batch;
              }
            });
  }

  /** An interrupt ends the wait like the timeout does. */
  static Mq swallowedInterrupt(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) {
                try {
                  return inner.receive(max, timeout);
                } catch (InterruptedException e) {
                  return List.of();
                }
              }
            });
  }

  /** A lost connection looks like an empty queue. */
  static Mq emptyListsForEver(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      public Receiver receiver(String queue) {
        try {
          return inner.receiver(queue);
        } catch (MqException e) {
          if (queue.startsWith("no-such")) {
            throw e;
          }
          return new NothingThere();
        }
      }
    };
  }

  /** Settles some of the named deliveries, and says that all are settled. */
  private static Mq acking(Mq healthy, UnaryOperator<List<Delivery>> settled) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              private final Set<Delivery> received = new HashSet<>();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                received.addAll(batch);
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                List<Delivery> named = new ArrayList<>(deliveries);
                return inner.ack(received.containsAll(named) ? settled.apply(named) : named);
              }
            });
  }

  private interface Settling {
    List<Delivery> settled(List<Delivery> received, Collection<? extends Delivery> named);
  }

  /** Settles more than the named deliveries. */
  private static Mq withHistory(Mq healthy, Settling settling) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              private final List<Delivery> received = new ArrayList<>();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                received.addAll(batch);
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> named = inner.ack(deliveries);
                return CompletableFuture.allOf(
                    named, inner.ack(settling.settled(received, deliveries)));
              }
            });
  }

  private static String key(String queue, Delivery delivery) {
    return queue + " " + new String(delivery.message().body(), UTF_8);
  }

  private static List<Delivery> unwrapped(Collection<? extends Delivery> deliveries) {
    return deliveries.stream()
        .map(delivery -> delivery instanceof Owned owned ? owned.delivery : delivery)
        .toList();
  }

  /** A delivery that knows whose it is. */
  private static final class Owned implements Delivery {

    final Delivery delivery;
    final Receiver owner;

    Owned(Delivery delivery, Receiver owner) {
      this.delivery = delivery;
      this.owner = owner;
    }

    @Override
    public Message message() {
      return delivery.message();
    }
  }

  /** A receiver that was opened although the broker is dead. */
  private static final class NothingThere implements Receiver {

    @Override
    public List<Delivery> receive(int max, Duration timeout) {
      return List.of();
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
      // nothing was opened
    }
  }
}
