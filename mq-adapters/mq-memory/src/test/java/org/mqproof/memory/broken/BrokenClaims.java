package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;

/** Ways to get the begin and the end of a claim wrong. As thread-safe as what they wrap. */
final class BrokenClaims {

  /** One claim of so many is not stored. */
  private static final int NOT_STORED = 64;

  private static final int MOST_DELIVERIES = 5;
  private static final Duration AHEAD = Duration.ofSeconds(20);

  private BrokenClaims() {}

  /** A claim, and when it began. */
  record Begun(Receiver receiver, Delivery delivery, Duration at) {}

  /** A claim begins with the call that waited for the message. */
  static Mq claimBeginsWithTheCall(BrokenConnections run, Mq healthy) {
    Duration period = healthy.traits().claimPeriod().orElseThrow();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Forwarding.FullReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                Duration called = run.now();
                Collection<Begun> begun = run.begun(queue);
                List<Begun> ended =
                    begun.stream()
                        .filter(claim -> called.minus(period).compareTo(claim.at) >= 0)
                        .toList();
                begun.removeAll(ended);
                ended.forEach(claim -> claim.receiver.release(List.of(claim.delivery)).join());
                List<Delivery> batch = inner.receive(max, timeout);
                if (!called.equals(run.now())) { // it waited
                  batch.forEach(delivery -> begun.add(new Begun(inner, delivery, called)));
                }
                return batch;
              }
            });
  }

  /** Who looks for more a third time has all that is held for another period. */
  static Mq lookingRenewsClaims(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Forwarding.FullReceiver(receiver) {
              private final Set<Delivery> held = Forwarding.identitySet();
              private int looks;

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                if (++looks > 3 && !held.isEmpty()) {
                  inner.extend(List.copyOf(held)).exceptionally(failure -> null).join();
                }
                List<Delivery> batch = inner.receive(max, timeout);
                if (!batch.isEmpty()) {
                  looks = 0;
                  held.addAll(batch);
                }
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                held.removeAll(deliveries);
                return inner.ack(deliveries);
              }

              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                held.removeAll(deliveries);
                return inner.release(deliveries);
              }
            });
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

  /**
   * Claims are written without waiting; one that was not stored hides nothing, whatever follows.
   */
  static Mq unacknowledgedClaim(BrokenConnections run, Mq healthy) {
    AtomicInteger written = new AtomicInteger();
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new Seeing(receiver, run.claims(queue)) {
          @Override
          void claim(Delivery delivery) {
            if (written.incrementAndGet() % NOT_STORED == 0) {
              claims.add(new Claim(this, delivery, Duration.ZERO));
            }
          }

          @Override
          boolean isFree(Claim claim) {
            return true;
          }

          @Override
          void settled(Collection<? extends Delivery> deliveries) {
            // the broker finds no claim of this receiver to settle
          }
        };
      }
    };
  }

  /** Each client asks its own clock whether a claim has ended; every second one is ahead. */
  static Mq clientClock(BrokenConnections run, Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        boolean ahead = run.nextIsAhead();
        return new Seeing(receiver, run.claims(queue)) {
          @Override
          void claim(Delivery delivery) {
            claims.add(new Claim(this, delivery, run.now()));
          }

          @Override
          boolean isFree(Claim claim) {
            Duration age = run.now().minus(claim.at);
            Duration period = healthy.traits().claimPeriod().orElseThrow();
            return ahead && age.compareTo(period) < 0 && age.plus(AHEAD).compareTo(period) >= 0;
          }

          @Override
          void settled(Collection<? extends Delivery> deliveries) {
            claims.removeIf(claim -> deliveries.contains(claim.delivery));
          }

          @Override
          public void close() {
            claims.removeIf(claim -> claim.holder == this);
            super.close();
          }
        };
      }
    };
  }

  /** Claims that have ended are found in the memory of the connection that made them. */
  static Mq expiringHere(
      BrokenConnections run, Mq healthy, Map<String, Collection<Claim>> ofConnection) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        Collection<Claim> claims =
            ofConnection.computeIfAbsent(queue, q -> new ConcurrentLinkedQueue<>());
        return new Seeing(receiver, claims) {
          @Override
          void claim(Delivery delivery) {
            claims.add(new Claim(this, delivery, run.now()));
          }

          @Override
          boolean isFree(Claim claim) {
            Duration period = healthy.traits().claimPeriod().orElseThrow();
            return run.now().minus(claim.at).compareTo(period) >= 0;
          }

          @Override
          void settled(Collection<? extends Delivery> deliveries) {
            claims.removeIf(claim -> deliveries.contains(claim.delivery));
          }

          @Override
          public void close() {
            claims.removeIf(claim -> claim.holder == this);
            super.close();
          }
        };
      }
    };
  }

  /** What was given back five times is taken for poison, and settled unseen. */
  static Mq droppedAfterFiveDeliveries(BrokenConnections run, Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private final Set<Delivery> held = ConcurrentHashMap.newKeySet();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = new ArrayList<>(inner.receive(max, timeout));
            List<Delivery> poison = new ArrayList<>(batch);
            poison.removeIf(delivery -> givenBack(delivery).get() < MOST_DELIVERIES);
            batch.removeAll(poison);
            CompletableFuture<Void> settled = inner.ack(poison);
            assert settled.isDone();
            held.addAll(batch);
            return batch;
          }

          private AtomicInteger givenBack(Delivery delivery) {
            return run.countOf(queue + " " + new String(delivery.message().body(), ISO_8859_1));
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            held.removeAll(deliveries);
            return inner.ack(deliveries);
          }

          @Override
          public void close() {
            held.forEach(delivery -> givenBack(delivery).incrementAndGet());
            held.clear();
            super.close();
          }
        };
      }
    };
  }

  /** Messages that nobody acked for three claim periods are dropped. */
  static Mq droppedAfterThreePeriods(BrokenConnections run, Mq healthy) {
    Duration kept = healthy.traits().claimPeriod().orElseThrow().multipliedBy(3);
    Map<String, Duration> sentAt = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            batch.forEach(message -> sentAt.put(key(queue, message), run.now()));
            super.send(batch);
          }
        };
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = new ArrayList<>(inner.receive(max, timeout));
            List<Delivery> old = new ArrayList<>(batch);
            old.removeIf(
                delivery -> {
                  Duration at = sentAt.getOrDefault(key(queue, delivery.message()), run.now());
                  return run.now().minus(at).compareTo(kept) < 0;
                });
            batch.removeAll(old);
            var unused = inner.ack(old);
            return batch;
          }
        };
      }
    };
  }

  private static String key(String queue, Message message) {
    return queue + " " + new String(message.body(), ISO_8859_1);
  }

  /** What a receiver holds. */
  record Claim(Receiver holder, Delivery delivery, Duration at) {}

  /** A receiver that decides by itself which claims of others are none. */
  private abstract static class Seeing extends ForwardingReceiver {

    /** Of all receivers of this queue. */
    final Collection<Claim> claims;

    private final Set<Delivery> ofOthers = new HashSet<>();

    Seeing(Receiver inner, Collection<Claim> claims) {
      super(inner);
      this.claims = claims;
    }

    abstract void claim(Delivery delivery);

    abstract boolean isFree(Claim claim);

    abstract void settled(Collection<? extends Delivery> deliveries);

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      List<Delivery> free = new ArrayList<>();
      claims.removeIf(
          claim ->
              free.size() < max
                  && claim.holder != this
                  && isFree(claim)
                  && free.add(claim.delivery));
      if (!free.isEmpty()) {
        ofOthers.addAll(free);
        return free;
      }
      List<Delivery> batch = inner.receive(max, timeout);
      batch.forEach(this::claim);
      return batch;
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      settled(deliveries);
      List<Delivery> own = new ArrayList<>(deliveries);
      own.removeAll(ofOthers);
      return inner.ack(own);
    }
  }

  /**
   * In the last third of its period a claim is thought to have ended, and an ack of it to be late.
   */
  static Mq lateAcksForgotten(BrokenConnections run, Mq healthy) {
    Duration period = healthy.traits().claimPeriod().orElseThrow();
    Duration third = period.dividedBy(3);
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Forwarding.FullReceiver(receiver) {
              private final Map<Delivery, Duration> claimed =
                  Collections.synchronizedMap(new IdentityHashMap<>());

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                batch.forEach(delivery -> claimed.put(delivery, run.now()));
                return batch;
              }

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                deliveries.forEach(delivery -> claimed.replace(delivery, run.now()));
                return inner.extend(deliveries);
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                return inner.ack(
                    deliveries.stream().filter(delivery -> !isInTheLastThird(delivery)).toList());
              }

              private boolean isInTheLastThird(Delivery delivery) {
                Duration at = claimed.get(delivery);
                Duration left = at == null ? Duration.ZERO : at.plus(period).minus(run.now());
                return left.compareTo(Duration.ZERO) > 0 && left.compareTo(third) < 0;
              }
            });
  }

  /** Of what a receiver holds, the first hundred come back when their claims end. */
  static Mq hundredComeBack(BrokenConnections run, Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Forwarding.FullReceiver(receiver) {
              private final Map<String, Delivery> held = new ConcurrentHashMap<>();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> kept = new ArrayList<>();
                for (Delivery delivery : inner.receive(max, timeout)) {
                  String key = Forwarding.key(queue, delivery);
                  if (run.lost(queue).remove(key)) {
                    var unused = inner.ack(List.of(delivery));
                    continue;
                  }
                  kept.add(delivery);
                  held.put(key, delivery);
                  if (held.size() > 100) {
                    run.lost(queue).add(key);
                  }
                }
                return kept;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                settle(deliveries);
                return inner.ack(deliveries);
              }

              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                settle(deliveries);
                return inner.release(deliveries);
              }

              private void settle(Collection<? extends Delivery> deliveries) {
                for (Delivery delivery : deliveries) {
                  held.remove(Forwarding.key(queue, delivery));
                  run.lost(queue).remove(Forwarding.key(queue, delivery));
                }
              }

              @Override
              public void close() {
                settle(held.values());
                inner.close();
              }
            });
  }
}
