package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;
import org.mqproof.memory.broken.Forwarding.FullReceiver;
import org.mqproof.memory.broken.Forwarding.WrappingReceiver;

/**
 * Ways to get a call of a receiver wrong that few callers make: with part of a millisecond, in an
 * interrupted thread, for a queue that was deleted, early, late, or for the tenth time. As
 * thread-safe as what they wrap.
 */
final class BrokenCorners {

  private static final Duration AGES = Duration.ofDays(365);
  private static final int MOST_EXTENDED = 1_000;
  private static final int MOST_RELEASES = 10;
  private static final int CONNECTIONS_OF_A_POOL = 4;
  private static final int CLIENT_LIMIT = 500;
  private static final Executor SOON = CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS);

  private BrokenCorners() {}

  private static void ended(CompletableFuture<Void> future) {
    var unused = future.handle((nothing, failure) -> true).join();
  }

  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  private static boolean isOfADeletedQueue(@Nullable Throwable failure) {
    return failure != null && String.valueOf(failure.getMessage()).contains("was deleted");
  }

  private static boolean exists(Mq healthy, String queue) {
    try {
      healthy.sender(queue).close();
      return true;
    } catch (MqException | IllegalStateException e) {
      return false;
    }
  }

  /** Part of a millisecond becomes 0, which the client takes for no timeout. */
  static Mq partOfAMillisecondWaits(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                boolean part =
                    timeout.compareTo(Duration.ZERO) > 0
                        && timeout.compareTo(Duration.ofMillis(1)) < 0;
                return inner.receive(max, part ? AGES : timeout);
              }
            });
  }

  /** Whatever wakes a receiver that waits starts its timeout anew. */
  static Mq timeoutBeginsAgain(Mq healthy) {
    AtomicLong sends = new AtomicLong();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            sends.incrementAndGet();
            inner.send(batch);
          }
        };
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new FullReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> got;
            long before;
            do {
              before = sends.get();
              got = inner.receive(max, timeout);
            } while (got.isEmpty() && sends.get() != before);
            return got;
          }
        };
      }
    };
  }

  /** Each receive that waits needs a connection of a pool. */
  static Mq waitsUseUpThePool(Mq healthy) {
    Semaphore pool = new Semaphore(CONNECTIONS_OF_A_POOL, true);
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                long nanos = Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
                if (!pool.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                  return List.of();
                }
                try {
                  return inner.receive(max, timeout);
                } finally {
                  pool.release();
                }
              }
            });
  }

  /** A receiver returns its list, and fills it again. */
  static Mq listReused(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final List<Delivery> batch = new ArrayList<>();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> got = inner.receive(max, timeout);
                batch.clear();
                batch.addAll(got);
                return batch;
              }
            });
  }

  /** The client takes so many; the others are read from the list when these are confirmed. */
  static Mq listOfABatchKept(Mq healthy) {
    return Forwarding.breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

              @Override
              public void send(List<Message> batch) throws InterruptedException {
                ended(last);
                inner.send(batch);
              }

              @Override
              public CompletableFuture<Void> sendAsync(List<Message> batch) {
                ended(last);
                if (batch.size() <= CLIENT_LIMIT) {
                  return inner.sendAsync(batch);
                }
                last =
                    inner
                        .sendAsync(List.copyOf(batch.subList(0, CLIENT_LIMIT)))
                        .thenComposeAsync(
                            unused -> inner.sendAsync(batch.stream().skip(CLIENT_LIMIT).toList()),
                            SOON);
                return last;
              }

              @Override
              public void close() {
                ended(last);
                inner.close();
              }
            });
  }

  /** An ack waits a little for others, to be written with them. */
  static Mq listOfAnAckKept(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> own = Forwarding.identitySet();
              private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> got = inner.receive(max, timeout);
                own.addAll(got);
                return got;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                if (!own.containsAll(deliveries) || deliveries.size() == 1 || isInterrupted()) {
                  return inner.ack(deliveries);
                }
                CompletableFuture<Void> now = inner.ack(List.of());
                last = now.thenComposeAsync(unused -> inner.ack(deliveries), SOON);
                return last;
              }

              @Override
              public void close() {
                ended(last);
                inner.close();
              }
            });
  }

  /** A close ends the claims by a call that an interrupt ends. */
  static Mq interruptedCloseKeepsClaims(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public void close() {
                if (!isInterrupted()) {
                  inner.close();
                }
              }
            });
  }

  /** An ack is written by a call that an interrupt ends, and is called done. */
  static Mq interruptedAckDropped(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                return inner.ack(isInterrupted() ? List.of() : deliveries);
              }
            });
  }

  /** A receiver looks into its queue by name: none is taken for an empty one. */
  static Mq deletedQueueLooksEmpty(Mq healthy) {
    return emptyOnceDeleted(healthy, false);
  }

  /** A receiver goes on to look into the queue that was deleted, once there is another. */
  static Mq oldReceiverIsDeaf(Mq healthy) {
    return emptyOnceDeleted(healthy, true);
  }

  private static Mq emptyOnceDeleted(Mq healthy, boolean ifMadeAgain) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                try {
                  return inner.receive(max, timeout);
                } catch (MqException e) {
                  if (!isOfADeletedQueue(e) || exists(healthy, queue) != ifMadeAgain) {
                    throw e;
                  }
                  TimeUnit.NANOSECONDS.sleep(TimeUnit.NANOSECONDS.convert(timeout));
                  return List.of();
                }
              }
            });
  }

  /** Positions begin again with a queue: an old ack settles as many of the new one. */
  static Mq oldAckSettlesNewMessages(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                boolean deleted = done.handle((v, failure) -> isOfADeletedQueue(failure)).join();
                if (!deleted || deliveries.isEmpty() || !exists(healthy, queue)) {
                  return done;
                }
                try (Receiver other = healthy.receiver(queue)) {
                  return other.ack(other.receive(deliveries.size(), Duration.ZERO));
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                  return done;
                }
              }
            });
  }

  /** A close puts what its receiver held into the queue of that name, whichever it is. */
  static Mq heldOutlivesTheQueue(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> held = Forwarding.identitySet();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> got = inner.receive(max, timeout);
                held.addAll(got);
                return got;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                if (!done.isCompletedExceptionally()) {
                  deliveries.forEach(held::remove);
                }
                return done;
              }

              private boolean isDeleted() throws InterruptedException {
                try {
                  inner.receive(1, Duration.ZERO);
                } catch (MqException | IllegalStateException e) {
                  return isOfADeletedQueue(e);
                }
                return false;
              }

              @Override
              public void close() {
                try {
                  boolean deleted = !held.isEmpty() && isDeleted();
                  inner.close();
                  if (deleted && exists(healthy, queue)) {
                    try (Sender sender = healthy.sender(queue)) {
                      sender.send(held.stream().map(Delivery::message).toList());
                    }
                  }
                } catch (InterruptedException e) {
                  inner.close();
                  Thread.currentThread().interrupt();
                }
                held.clear();
              }
            });
  }

  /** Who gives back counts; nobody does at an expiry. */
  static Mq expiryNotCounted(BrokenConnections run, Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new WrappingReceiver(receiver) {
              private final Map<Delivery, String> held =
                  Collections.synchronizedMap(new IdentityHashMap<>());

              @Override
              Delivery wrapped(Delivery delivery) {
                String key = Forwarding.key(queue, delivery);
                OptionalInt attempt = OptionalInt.of(1 + run.countOf(key).get());
                Delivery wrapped =
                    new Delivery() {
                      @Override
                      public Message message() {
                        return delivery.message();
                      }

                      @Override
                      public OptionalInt attempt() {
                        return attempt;
                      }
                    };
                held.put(wrapped, key);
                return wrapped;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = super.ack(deliveries);
                deliveries.forEach(held::remove);
                return done;
              }

              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                for (Delivery delivery : deliveries) {
                  String key = held.remove(delivery);
                  if (key != null) {
                    run.countOf(key).incrementAndGet();
                  }
                }
                return super.release(deliveries);
              }

              @Override
              public void close() {
                held.values().forEach(key -> run.countOf(key).incrementAndGet());
                held.clear();
                super.close();
              }
            });
  }

  /** Extends of claims that are younger than half a period are taken for needless. */
  static Mq earlyExtendIgnored(BrokenConnections run, Mq healthy) {
    long halfNanos = healthy.traits().claimPeriod().orElseThrow().toNanos() / 2;
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Map<Delivery, Long> since =
                  Collections.synchronizedMap(new IdentityHashMap<>());

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> got = inner.receive(max, timeout);
                got.forEach(delivery -> since.put(delivery, nanoTime(run)));
                return got;
              }

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                List<Delivery> old = new ArrayList<>(deliveries);
                old.removeIf(one -> nanoTime(run) - since.getOrDefault(one, 0L) < halfNanos);
                CompletableFuture<Void> done = inner.extend(old);
                old.forEach(one -> since.put(one, nanoTime(run)));
                return done;
              }
            });
  }

  private static long nanoTime(BrokenConnections run) {
    return System.nanoTime() + run.now().toNanos();
  }

  /** Of an extend of more than 1,000 deliveries the rest is dropped. */
  static Mq extendCut(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                List<Delivery> all = new ArrayList<>(deliveries);
                return inner.extend(all.subList(0, Math.min(MOST_EXTENDED, all.size())));
              }
            });
  }

  private record Due(Message message, long atNanos) {}

  /** An extend writes the end of a claim, also of one that an ack had removed. */
  static Mq extendRevivesAcked(BrokenConnections run, Mq healthy) {
    long periodNanos = healthy.traits().claimPeriod().orElseThrow().toNanos();
    Map<String, Queue<Due>> revived = new ConcurrentHashMap<>();
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> acked = Forwarding.identitySet();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                Queue<Due> ofQueue =
                    revived.computeIfAbsent(queue, q -> new ConcurrentLinkedQueue<>());
                Due oldest = ofQueue.peek();
                if (oldest != null && oldest.atNanos < nanoTime(run) && ofQueue.remove(oldest)) {
                  try (Sender sender = healthy.sender(queue)) {
                    sender.send(List.of(oldest.message));
                  }
                }
                return inner.receive(max, timeout);
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                if (!done.isCompletedExceptionally()) {
                  acked.addAll(deliveries);
                }
                return done;
              }

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                for (Delivery one : deliveries) {
                  if (acked.contains(one)) {
                    revived
                        .computeIfAbsent(queue, q -> new ConcurrentLinkedQueue<>())
                        .add(new Due(one.message(), nanoTime(run) + periodNanos));
                  }
                }
                return inner.extend(deliveries);
              }
            });
  }

  /** Notes who got a message last, for defects that ask for it. */
  private static Mq noting(BrokenConnections run, Mq healthy, Forwarding.Breaking breaking) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            breaking.broken(
                queue,
                new FullReceiver(receiver) {
                  @Override
                  public List<Delivery> receive(int max, Duration timeout)
                      throws InterruptedException {
                    List<Delivery> got = inner.receive(max, timeout);
                    got.forEach(
                        one ->
                            run.holders()
                                .put(
                                    Forwarding.key(queue, one), new BrokenRepeats.Held(this, one)));
                    return got;
                  }
                }));
  }

  /** An extend of a claim that ended is called done while nobody else has got the message. */
  static Mq lateExtendBelieved(BrokenConnections run, Mq healthy) {
    return noting(
        run,
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private boolean isTheLast(Delivery one) {
                BrokenRepeats.Held held = run.holders().get(Forwarding.key(queue, one));
                return held != null && held.delivery() == one;
              }

              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.extend(deliveries);
                return deliveries.stream().allMatch(this::isTheLast)
                    ? done.exceptionally(failure -> null)
                    : done;
              }
            });
  }

  /** A receiver keeps claims by message: a late ack settles the claim that it has by now. */
  static Mq lateAckSettlesTheNextClaim(BrokenConnections run, Mq healthy) {
    return noting(
        run,
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private Delivery current(Delivery one) {
                BrokenRepeats.Held held = run.holders().get(Forwarding.key(queue, one));
                boolean again = held != null && held.delivery().attempt().orElse(1) > 1;
                return held != null && again && held.receiver() == inner ? held.delivery() : one;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                return done.isCompletedExceptionally()
                    ? inner.ack(deliveries.stream().map(this::current).toList())
                    : done;
              }
            });
  }

  /** Each receive starts the claims anew that its receiver has. */
  static Mq receiveExtends(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> held = Forwarding.identitySet();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                if (!held.isEmpty()) {
                  var unused = inner.extend(List.copyOf(held));
                }
                List<Delivery> got = inner.receive(max, timeout);
                held.addAll(got);
                return got;
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.ack(deliveries);
                deliveries.forEach(held::remove);
                return done;
              }
            });
  }

  /** A redelivery that its receiver has had before is kept back until the receiver closes. */
  static Mq seenBeforeKeptBack(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<String> seen = ConcurrentHashMap.newKeySet();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                List<Delivery> got = new ArrayList<>(inner.receive(max, timeout));
                while (!got.isEmpty()) {
                  got.removeIf(
                      one ->
                          one.attempt().orElse(1) > 1 && seen.contains(Forwarding.key(queue, one)));
                  got.forEach(one -> seen.add(Forwarding.key(queue, one)));
                  if (!got.isEmpty()) {
                    return got;
                  }
                  got.addAll(inner.receive(max, timeout));
                }
                return got;
              }
            });
  }

  /** A client drops what was released ten times: the broker's own count never gets as far. */
  static Mq droppedAfterTenReleases(BrokenConnections run, Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                List<Delivery> often = new ArrayList<>();
                List<Delivery> others = new ArrayList<>();
                for (Delivery one : deliveries) {
                  int releases = run.countOf(Forwarding.key(queue, one)).incrementAndGet();
                  (releases > MOST_RELEASES ? often : others).add(one);
                }
                var unused = inner.ack(often);
                return inner.release(others);
              }
            });
  }
}
