package org.mqproof.memory.broken;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;

/**
 * Ways to get acks wrong that show only with many, with equal bodies, or when the connection
 * closes. As thread-safe as what they wrap.
 */
final class BrokenAcks {

  private static final int ONE_IN = 10;

  private BrokenAcks() {}

  /** An ack of more than the client's limit is cut, and called done. */
  static Mq cutAbove(Mq healthy, int limit) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            return inner.ack(deliveries.stream().limit(limit).toList());
          }
        };
      }
    };
  }

  /** Acks that come within a moment are written together, and share a future. */
  static Mq acksShareAFuture(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              private final List<Delivery> gathered = new ArrayList<>();
              private CompletableFuture<Void> shared = CompletableFuture.completedFuture(null);

              @Override
              public synchronized CompletableFuture<Void> ack(
                  Collection<? extends Delivery> deliveries) {
                if (deliveries.size() != 1) {
                  return inner.ack(deliveries);
                }
                if (gathered.isEmpty()) {
                  shared = new CompletableFuture<>();
                  CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS).execute(this::write);
                }
                gathered.addAll(deliveries);
                return shared;
              }

              private synchronized void write() {
                if (!gathered.isEmpty()) {
                  CompletableFuture<Void> waiting = shared;
                  var unused =
                      inner
                          .ack(List.copyOf(gathered))
                          .whenComplete(
                              (done, failure) -> {
                                if (failure == null) {
                                  waiting.complete(null);
                                } else {
                                  waiting.completeExceptionally(failure);
                                }
                              });
                  gathered.clear();
                }
              }

              @Override
              public void close() {
                write();
                super.close();
              }
            });
  }

  /** The interrupt of the thread that acks is taken away. */
  static Mq ackEatsTheInterrupt(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                boolean unused = Thread.interrupted();
                return inner.ack(deliveries);
              }
            });
  }

  /** Acks are written with the next call; closing the receiver writes them, closing the Mq not. */
  static Mq lostByConnectionClose(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private final Set<Delivery> received = new HashSet<>();
          private final List<Delivery> pending = new ArrayList<>();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            write();
            List<Delivery> batch = inner.receive(max, timeout);
            received.addAll(batch);
            return batch;
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            if (!received.containsAll(deliveries) || deliveries.size() < 5) {
              return inner.ack(deliveries);
            }
            pending.addAll(deliveries);
            return inner.ack(List.of());
          }

          private void write() {
            inner.ack(pending).exceptionally(failure -> null).join();
            pending.clear();
          }

          @Override
          public void close() {
            if (!pending.isEmpty()) {
              write();
            }
            super.close();
          }
        };
      }
    };
  }

  /** An ack settles every message with the same body. */
  static Mq settlesByBody(Mq healthy) {
    return byBody(
        healthy,
        (held, deliveries) -> {
          Set<Delivery> settled = new HashSet<>();
          for (Delivery delivery : deliveries) {
            settled.addAll(held.getOrDefault(body(delivery), List.of()));
          }
          settled.addAll(deliveries);
          return settled;
        });
  }

  /** Claims are kept by body: of equal ones the last is known. */
  static Mq equalBodiesShareAClaim(Mq healthy) {
    return byBody(
        healthy,
        (held, deliveries) -> {
          Set<Delivery> settled = new HashSet<>();
          for (Delivery delivery : deliveries) {
            List<Delivery> same = held.getOrDefault(body(delivery), List.of(delivery));
            settled.add(same.get(same.size() - 1));
          }
          return settled;
        });
  }

  private interface Settling {
    Collection<Delivery> settled(
        Map<ByteBuffer, List<Delivery>> held, Collection<? extends Delivery> named);
  }

  private static Mq byBody(Mq healthy, Settling settling) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private final Map<ByteBuffer, List<Delivery>> held = new HashMap<>();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = inner.receive(max, timeout);
            batch.forEach(
                delivery ->
                    held.computeIfAbsent(body(delivery), b -> new ArrayList<>()).add(delivery));
            return batch;
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            boolean own =
                deliveries.stream()
                    .allMatch(
                        delivery ->
                            held.getOrDefault(body(delivery), List.of()).contains(delivery));
            return inner.ack(own ? settling.settled(held, deliveries) : deliveries);
          }
        };
      }
    };
  }

  private static ByteBuffer body(Delivery delivery) {
    return ByteBuffer.wrap(delivery.message().body());
  }

  /** One message in ten comes again although its ack is done. */
  static Mq oneInTenComesAgain(Mq healthy) {
    AtomicInteger acked = new AtomicInteger();
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private final Set<Delivery> settled = ConcurrentHashMap.newKeySet();

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            CompletableFuture<Void> done = inner.ack(deliveries);
            if (!done.isCompletedExceptionally()) {
              List<Message> again = new ArrayList<>();
              for (Delivery delivery : deliveries) {
                if (settled.add(delivery) && acked.incrementAndGet() % ONE_IN == 0) {
                  again.add(delivery.message());
                }
              }
              sendAgain(queue, again);
            }
            return done;
          }
        };
      }

      private void sendAgain(String queue, List<Message> again) {
        if (!again.isEmpty()) {
          try (Sender sender = inner.sender(queue)) {
            sender.sendAsync(again).exceptionally(failure -> null).join();
          } catch (MqException | IllegalStateException e) {
            // the queue or the connection is gone
          }
        }
      }
    };
  }

  /** What this connection has acked is forgotten when it closes. */
  static Mq forgottenOnReconnect(Mq healthy) {
    Map<String, List<Message>> settled = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      private boolean closed;

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            CompletableFuture<Void> done = inner.ack(deliveries);
            if (!done.isCompletedExceptionally()) {
              deliveries.forEach(
                  delivery ->
                      settled
                          .computeIfAbsent(
                              queue, q -> Collections.synchronizedList(new ArrayList<>()))
                          .add(delivery.message()));
            }
            return done;
          }
        };
      }

      @Override
      public synchronized void close() {
        if (!closed) {
          closed = true;
          settled.forEach(
              (queue, messages) -> {
                try (Sender sender = inner.sender(queue)) {
                  sender.sendAsync(messages).exceptionally(failure -> null).join();
                } catch (MqException e) {
                  // the queue is gone
                }
              });
        }
        super.close();
      }
    };
  }

  /** Acks of more than 2,000 messages fail, and settle nothing. */
  static Mq manyFail(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            return deliveries.size() <= 2_000
                ? inner.ack(deliveries)
                : CompletableFuture.failedFuture(new MqException("too many entries"));
          }
        };
      }
    };
  }

  /** An ack of as many as are held is taken for an ack of all that are held. */
  static Mq allIfAsManyAsHeld(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private final Set<Delivery> held = ConcurrentHashMap.newKeySet();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = inner.receive(max, timeout);
            held.addAll(batch);
            return batch;
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            boolean all = deliveries.size() > 1 && deliveries.size() == held.size();
            CompletableFuture<Void> done = inner.ack(all ? List.copyOf(held) : deliveries);
            held.removeAll(all ? List.copyOf(held) : deliveries);
            return done;
          }
        };
      }
    };
  }

  /** An ack of what the last receive returned settles what those before returned, too. */
  static Mq settlesEarlierReceives(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Forwarding.FullReceiver(receiver) {
              private final Set<Delivery> last = Forwarding.identitySet();
              private final Set<Delivery> before = Forwarding.identitySet();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                if (!batch.isEmpty()) {
                  before.addAll(last);
                  last.clear();
                  last.addAll(batch);
                }
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                List<Delivery> all = new ArrayList<>(deliveries);
                before.removeAll(all);
                if (all.stream().anyMatch(last::contains)) {
                  all.addAll(before);
                  before.clear();
                }
                return inner.ack(all);
              }

              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                before.removeAll(deliveries);
                return inner.release(deliveries);
              }
            });
  }

  /** A delivery of a deleted queue settles the one at its place in the queue made again. */
  static Mq settlesByPlace(BrokenConnections run, Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      public void deleteQueue(String queue) {
        super.deleteQueue(queue);
        run.begun(queue).clear();
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new Forwarding.FullReceiver(receiver) {
          private final Map<BrokenClaims.Begun, Integer> places = new ConcurrentHashMap<>();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = inner.receive(max, timeout);
            for (Delivery delivery : batch) {
              BrokenClaims.Begun claim = new BrokenClaims.Begun(inner, delivery, Duration.ZERO);
              places.put(claim, run.begun(queue).size());
              run.begun(queue).add(claim);
            }
            return batch;
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            for (Delivery delivery : deliveries) {
              var own = new BrokenClaims.Begun(inner, delivery, Duration.ZERO);
              Integer place = places.get(own);
              if (place != null && !run.begun(queue).contains(own)) {
                for (BrokenClaims.Begun now :
                    run.begun(queue).stream().skip(place).limit(1).toList()) {
                  var unused = now.receiver().ack(List.of(now.delivery()));
                }
              }
            }
            return inner.ack(deliveries);
          }
        };
      }
    };
  }
}
