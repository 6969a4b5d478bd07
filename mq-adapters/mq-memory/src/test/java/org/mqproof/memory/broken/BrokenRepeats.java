package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.memory.broken.Forwarding.FullReceiver;

/**
 * Ways to get a call of a receiver wrong that is made a second time, with many deliveries, with one
 * alone, or late. As thread-safe as what they wrap.
 */
final class BrokenRepeats {

  private static final int MOST_RELEASED = 1_000;
  private static final int MOST_GIVEN_BACK = 500;
  private static final int MOST_RECEIVERS = 8;
  private static final long A_MOMENT_NANOS = 2_000_000;

  private BrokenRepeats() {}

  /** A delivery is extended once. */
  static Mq secondExtendIgnored(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> extended = Forwarding.identitySet();

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                List<Delivery> first = new ArrayList<>(deliveries);
                first.removeIf(extended::contains);
                CompletableFuture<Void> done = inner.extend(first);
                extended.addAll(first);
                return done;
              }
            });
  }

  /** An extend that names one that was acked extends nothing, and is called done. */
  static Mq extendWithAnAckedOneIgnored(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> acked = Forwarding.identitySet();

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                acked.addAll(deliveries);
                return done;
              }

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                return inner.extend(
                    deliveries.stream().anyMatch(acked::contains) ? List.of() : deliveries);
              }
            });
  }

  /** Each extend adds a period to the end of the claim: after several it is far away. */
  static Mq extendsAddUp(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Map<Delivery, Integer> extended =
                  Collections.synchronizedMap(new IdentityHashMap<>());

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.extend(deliveries);
                List<Delivery> often = new ArrayList<>();
                for (Delivery delivery : deliveries) {
                  if (extended.merge(delivery, 1, Integer::sum) > 3) {
                    often.add(delivery);
                  }
                }
                return often.isEmpty() ? done : inner.ack(often); // nobody gets it again
              }
            });
  }

  /** Each extend leaves a thread. */
  static Mq extendLeavesAThread(BrokenConnections run, Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.extend(deliveries);
                var unused = run.startThread("lease keeper", new CountDownLatch(1));
                return done;
              }
            });
  }

  /** An extend is made at the next call, unless its future has ended before. */
  static Mq endedExtendDropped(Mq healthy) {
    return Forwarding.breaking(healthy, (queue, receiver) -> new Later(receiver, false));
  }

  /** A release is made at the next call, unless its future has ended before. */
  static Mq endedReleaseDropped(Mq healthy) {
    return Forwarding.breaking(healthy, (queue, receiver) -> new Later(receiver, true));
  }

  /** Makes calls for one delivery later, if somebody still waits for them. */
  private static final class Later extends FullReceiver {

    private record Asked(
        Supplier<CompletableFuture<Void>> call, CompletableFuture<Void> ofTheCaller) {}

    private final boolean releases;
    private final List<Asked> asked = new ArrayList<>();

    Later(Receiver inner, boolean releases) {
      super(inner);
      this.releases = releases;
    }

    private synchronized void flush() {
      for (Asked one : asked) {
        if (!one.ofTheCaller.isDone()) {
          CompletableFuture<Void> unused =
              one.call
                  .get()
                  .whenComplete(
                      (done, failure) -> {
                        if (failure == null) {
                          one.ofTheCaller.complete(null);
                        } else {
                          one.ofTheCaller.completeExceptionally(failure);
                        }
                      });
        }
      }
      asked.clear();
    }

    private CompletableFuture<Void> later(
        boolean later, int count, Supplier<CompletableFuture<Void>> call) {
      flush();
      if (!later || count != 1) {
        return call.get();
      }
      CompletableFuture<Void> ofTheCaller = new CompletableFuture<>();
      synchronized (this) {
        asked.add(new Asked(call, ofTheCaller));
      }
      CompletableFuture<Void> unused = CompletableFuture.runAsync(this::flushIfOpen);
      return ofTheCaller;
    }

    private void flushIfOpen() {
      LockSupport.parkNanos(A_MOMENT_NANOS); // as a round trip would take
      try {
        flush();
      } catch (IllegalStateException e) {
        // closed: given back
      }
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      flush();
      return inner.receive(max, timeout);
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      flush();
      return inner.ack(deliveries);
    }

    @Override
    public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
      return later(releases, deliveries.size(), () -> inner.release(deliveries));
    }

    @Override
    public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
      return later(!releases, deliveries.size(), () -> inner.extend(deliveries));
    }
  }

  /** Of a release of more than 1,000 messages the rest is dropped. */
  static Mq releaseCut(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                List<Delivery> all = new ArrayList<>(deliveries);
                return inner.release(all.subList(0, Math.min(MOST_RELEASED, all.size())));
              }
            });
  }

  /** Deliveries are released one by one, until one is found to be another receiver's. */
  static Mq releasedBeforeTheCheck(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> last = inner.release(List.of());
                for (Delivery delivery : deliveries) {
                  last = inner.release(List.of(delivery));
                }
                return last;
              }
            });
  }

  /** A release names the message: it ends the claim of whoever holds it now. */
  static Mq releaseByMessage(BrokenConnections run, Mq healthy) {
    Map<String, Held> holders = run.holders();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                batch.forEach(
                    delivery ->
                        holders.put(Forwarding.key(queue, delivery), new Held(inner, delivery)));
                return batch;
              }

              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.release(deliveries);
                for (Delivery delivery : deliveries) {
                  Held now = holders.get(Forwarding.key(queue, delivery));
                  if (now != null && now.receiver != inner) {
                    var unused = now.receiver.release(List.of(now.delivery));
                  }
                }
                return done;
              }
            });
  }

  /** Who got a message last. */
  record Held(Receiver receiver, Delivery delivery) {}

  /** The service agrees to a late ack of one; one of many says which were late. */
  static Mq lateAckOfOneIsDone(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                return deliveries.size() == 1 ? done.exceptionally(failure -> null) : done;
              }
            });
  }

  /** The outcomes of an ack are those of distinct deliveries. */
  static Mq outcomesOfDistinct(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                List<Delivery> given = new ArrayList<>(deliveries);
                return inner
                    .ack(given)
                    .exceptionally(
                        failure -> {
                          Throwable cause =
                              failure instanceof CompletionException ? failure.getCause() : failure;
                          throw new CompletionException(
                              cause instanceof AckFailedException told
                                  ? new AckFailedException(
                                      "not all acked", distinct(given, told.outcomes()), told)
                                  : cause);
                        });
              }
            });
  }

  private static List<Outcome> distinct(List<Delivery> given, List<Outcome> outcomes) {
    Set<Delivery> seen = Forwarding.identitySet();
    List<Outcome> distinct = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      if (seen.add(given.get(i))) {
        distinct.add(outcomes.get(i));
      }
    }
    return distinct;
  }

  /** What a receiver got that has closed, the next one of its queue acks as if it were its own. */
  static Mq closedReceiversAck(Mq healthy) {
    Map<String, Set<Delivery>> ofClosed = new ConcurrentHashMap<>();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> got = Forwarding.identitySet();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                got.addAll(batch);
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                List<Delivery> own = new ArrayList<>(deliveries);
                own.removeIf(ofClosed.getOrDefault(queue, Set.of())::contains);
                return inner.ack(own);
              }

              @Override
              public void close() {
                super.close();
                ofClosed.computeIfAbsent(queue, q -> Forwarding.identitySet()).addAll(got);
              }
            });
  }

  /** A close gives back 500 messages; the claims of the others end at their time. */
  static Mq closeGivesBack500(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> held = Forwarding.identitySet();
              private final AtomicBoolean closed = new AtomicBoolean();

              private void requireOpen() {
                if (closed.get()) {
                  throw new IllegalStateException("closed");
                }
              }

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                requireOpen();
                List<Delivery> batch = inner.receive(max, timeout);
                held.addAll(batch);
                return batch;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                requireOpen();
                CompletableFuture<Void> done = inner.ack(deliveries);
                deliveries.forEach(held::remove);
                return done;
              }

              @Override
              public void close() {
                if (!closed.compareAndSet(false, true)) {
                  return;
                }
                List<Delivery> some = List.copyOf(held);
                if (some.size() > MOST_GIVEN_BACK) {
                  var unused = inner.release(some.subList(0, MOST_GIVEN_BACK));
                } else {
                  super.close();
                }
              }
            });
  }

  /** The ninth receiver that a connection has open gets nothing. */
  static Mq ninthReceiverIsDeaf(Mq healthy) {
    AtomicInteger open = new AtomicInteger();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) -> {
          boolean deaf = open.incrementAndGet() > MOST_RECEIVERS;
          return new FullReceiver(receiver) {
            private final AtomicBoolean closed = new AtomicBoolean();

            @Override
            public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
              if (!deaf) {
                return inner.receive(max, timeout);
              }
              LockSupport.parkNanos(Math.min(10 * A_MOMENT_NANOS, timeout.toNanos()));
              return List.of();
            }

            @Override
            public void close() {
              if (closed.compareAndSet(false, true)) {
                open.decrementAndGet();
              }
              super.close();
            }
          };
        });
  }

  /** A receiver hands out its buffer, and fills it again. */
  static Mq bufferReused(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private List<Delivery> before = List.of();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> batch = inner.receive(max, timeout);
                for (int i = 0; i < Math.min(before.size(), batch.size()); i++) {
                  byte[] buffer = before.get(i).message().body();
                  byte[] next = batch.get(i).message().body();
                  System.arraycopy(next, 0, buffer, 0, Math.min(buffer.length, next.length));
                }
                before = batch;
                return batch;
              }
            });
  }
}
