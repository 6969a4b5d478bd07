package org.mqproof.memory.broken;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;
import org.mqproof.memory.broken.Forwarding.FullReceiver;

/** Ways to wait, and to hand out, that are wrong. As thread-safe as what they wrap. */
final class BrokenWaits {

  private static final Duration INTERVAL = Duration.ofMillis(700);
  private static final int LARGEST_MAX = 10_000;
  private static final int SORTED_ABOVE = 500;
  private static final Duration WAITED = Duration.ofNanos(200_000);
  private static final Duration A_DAY = Duration.ofDays(1);
  private static final int FETCHED_AHEAD = 100;

  private BrokenWaits() {}

  /** Looks at once, and then at an interval. */
  static Mq pollsAtAnInterval(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) -> {
          long start = System.nanoTime();
          while (true) {
            List<Delivery> batch = inner.receive(max, Duration.ZERO);
            Duration left = timeout.minusNanos(System.nanoTime() - start);
            if (!batch.isEmpty() || left.isNegative() || left.isZero()) {
              return batch;
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(left.toNanos(), INTERVAL.toNanos()));
          }
        });
  }

  /** Looks less often the longer it waits. */
  static Mq backsOff(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) -> {
          long start = System.nanoTime();
          long wait = 400_000_000;
          while (true) {
            List<Delivery> batch = inner.receive(max, Duration.ZERO);
            Duration left = timeout.minusNanos(System.nanoTime() - start);
            if (!batch.isEmpty() || left.isNegative() || left.isZero()) {
              return batch;
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(left.toNanos(), wait));
            wait = Math.min(2 * wait, 800_000_000);
          }
        });
  }

  /** A large max overflows a field of the protocol, and asks for nothing. */
  static Mq largeMaxFindsNothing(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) -> {
          if (max <= LARGEST_MAX) {
            return inner.receive(max, timeout);
          }
          TimeUnit.NANOSECONDS.sleep(timeout.toNanos());
          return List.of();
        });
  }

  /** That nothing was there is remembered for a while. */
  static Mq emptinessRemembered(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private boolean empty;
              private long since;

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                if (empty && timeout.isZero() && System.nanoTime() - since < 250_000_000) {
                  return List.of();
                }
                List<Delivery> batch = inner.receive(max, timeout);
                empty = batch.isEmpty();
                since = System.nanoTime();
                return batch;
              }
            });
  }

  /** A timeout of zero never asks the broker. */
  static Mq zeroFindsNothing(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) ->
            inner.receive(max, timeout.isZero() ? Duration.ofNanos(1) : timeout).stream()
                .filter(delivery -> !timeout.isZero())
                .toList());
  }

  /** Half of the timeout is kept for the answer's way. */
  static Mq givesUpEarly(Mq healthy) {
    return with(healthy, (inner, max, timeout) -> inner.receive(max, timeout.dividedBy(2)));
  }

  /** The timeout is an int of milliseconds, which a month overflows. */
  static Mq longTimeoutsOverflow(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) ->
            inner.receive(max, Duration.ofMillis(Math.max(0, (int) timeout.toMillis()))));
  }

  /** One that waits is woken for each batch, however many wait: the others stay asleep. */
  static Mq oneSignalForABatch(BrokenConnections run, Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            inner.send(batch);
            signal();
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            return inner.sendAsync(batch).whenComplete((done, failure) -> signal());
          }

          private void signal() {
            Semaphore turn = run.turnOf(queue);
            turn.drainPermits();
            turn.release();
          }
        };
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return with(
            receiver, (inner, max, timeout) -> inTurn(run.turnOf(queue), inner, max, timeout));
      }
    };
  }

  /** Who waits in turn gives it on only if nothing came. */
  private static List<Delivery> inTurn(Semaphore turn, Receiver inner, int max, Duration timeout)
      throws InterruptedException {
    Duration longest = timeout.compareTo(A_DAY) < 0 ? timeout : A_DAY;
    List<Delivery> batch = inner.receive(max, Duration.ZERO);
    long start = System.nanoTime();
    if (!batch.isEmpty() || !turn.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
      return batch;
    }
    try {
      Duration left = longest.minusNanos(System.nanoTime() - start);
      batch = inner.receive(max, left.isNegative() ? Duration.ZERO : left);
    } finally {
      if (batch.isEmpty()) {
        turn.release();
      }
    }
    return batch;
  }

  /** The parts of a large receive come from several threads. */
  static Mq largeReceivesReorder(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) -> {
          List<Delivery> batch = inner.receive(max, timeout);
          if (batch.size() <= SORTED_ABOVE) {
            return batch;
          }
          List<Delivery> parts = new ArrayList<>(batch.subList(batch.size() / 2, batch.size()));
          parts.addAll(batch.subList(0, batch.size() / 2));
          return parts;
        });
  }

  /** An interrupt that is seen after the messages were taken throws them away. */
  static Mq interruptDropsTheBatch(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) -> {
          List<Delivery> batch = inner.receive(max, timeout);
          decode(200_000);
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          return batch;
        });
  }

  /** The same, only for a receive that had to wait. */
  static Mq interruptAtArrivalDropsTheBatch(Mq healthy) {
    return with(
        healthy,
        (inner, max, timeout) -> {
          long start = System.nanoTime();
          List<Delivery> batch = inner.receive(max, timeout);
          if (System.nanoTime() - start > WAITED.toNanos()) {
            decode(5_000_000);
            if (Thread.interrupted()) {
              throw new InterruptedException();
            }
          }
          return batch;
        });
  }

  /** What a client does with what it got; what is short is met in one try of many. */
  private static void decode(long nanos) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  private interface Receiving {
    List<Delivery> receive(Receiver inner, int max, Duration timeout) throws InterruptedException;
  }

  private static Mq with(Mq healthy, Receiving receiving) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return with(receiver, receiving);
      }
    };
  }

  private static Receiver with(Receiver receiver, Receiving receiving) {
    return new ForwardingReceiver(receiver) {
      @Override
      public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
        return max < 1 || timeout.isNegative()
            ? inner.receive(max, timeout)
            : receiving.receive(inner, max, timeout);
      }
    };
  }

  // --- who gets what ---

  /** What was delivered before is put aside for as long as there is something new. */
  static Mq newMessagesFirst(Mq healthy) {
    Map<String, Set<ByteBuffer>> seenByQueue = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        Set<ByteBuffer> seen =
            seenByQueue.computeIfAbsent(queue, q -> ConcurrentHashMap.newKeySet());
        return new ForwardingReceiver(receiver) {
          private final List<Delivery> aside = new ArrayList<>();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> fresh = fresh(inner.receive(max, Duration.ZERO));
            if (fresh.isEmpty() && aside.isEmpty()) {
              fresh = fresh(inner.receive(max, timeout));
            }
            if (!fresh.isEmpty()) {
              return fresh;
            }
            List<Delivery> old = List.copyOf(aside.subList(0, Math.min(max, aside.size())));
            aside.subList(0, old.size()).clear();
            return old;
          }

          private List<Delivery> fresh(List<Delivery> batch) {
            List<Delivery> fresh = new ArrayList<>();
            for (Delivery delivery : batch) {
              boolean first = seen.add(ByteBuffer.wrap(delivery.message().body().clone()));
              (first ? fresh : aside).add(delivery);
            }
            return fresh;
          }
        };
      }
    };
  }

  /** What is fetched ahead is handed out however old its claim is. */
  static Mq staleFetch(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        Queue<Delivery> fetched = new ArrayDeque<>();
        return with(
            receiver,
            (inner, max, timeout) -> {
              boolean none = fetched.isEmpty();
              // Also where there is something: a closed receiver and an interrupt are told.
              fetched.addAll(
                  inner.receive(Math.max(max, FETCHED_AHEAD), none ? timeout : Duration.ZERO));
              List<Delivery> batch = new ArrayList<>();
              while (batch.size() < max && !fetched.isEmpty()) {
                batch.add(fetched.remove());
              }
              return batch;
            });
      }
    };
  }

  /** Claims belong to the connection: the first receiver that closes ends them all. */
  static Mq claimsPerConnection(Mq healthy) {
    Map<String, Set<Shared>> receivers = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        Set<Shared> ofQueue = receivers.computeIfAbsent(queue, q -> ConcurrentHashMap.newKeySet());
        Shared shared = new Shared(receiver, () -> inner.receiver(queue), ofQueue);
        ofQueue.add(shared);
        return shared;
      }
    };
  }

  private interface Opening {
    Receiver open();
  }

  /** A receiver whose claims others of its connection end. Thread-safe. */
  private static final class Shared implements Receiver {

    private final Opening opening;
    private final Set<Shared> ofQueue;
    private final Set<Delivery> lost = ConcurrentHashMap.newKeySet();
    private final Set<Delivery> held = ConcurrentHashMap.newKeySet();
    private volatile Receiver inner;

    Shared(Receiver inner, Opening opening, Set<Shared> ofQueue) {
      this.inner = inner;
      this.opening = opening;
      this.ofQueue = ofQueue;
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      while (true) {
        Receiver before = inner;
        try {
          List<Delivery> batch = before.receive(max, timeout);
          synchronized (this) {
            (before == inner ? held : lost).addAll(batch);
          }
          return batch;
        } catch (IllegalStateException e) {
          if (before == inner) {
            throw e;
          }
        }
      }
    }

    @Override
    public synchronized CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      CompletableFuture<Void> done =
          inner.ack(deliveries.stream().filter(delivery -> !lost.contains(delivery)).toList());
      held.removeAll(deliveries);
      return deliveries.stream().anyMatch(lost::contains)
          ? CompletableFuture.failedFuture(new MqException("the claim has ended"))
          : done;
    }

    private synchronized void endClaims() {
      if (held.isEmpty()) {
        return;
      }
      Receiver before = inner;
      try {
        inner = opening.open();
      } catch (MqException | IllegalStateException e) {
        return; // the queue or the connection is gone
      }
      lost.addAll(held);
      held.clear();
      before.close();
    }

    @Override
    public void close() {
      ofQueue.remove(this);
      synchronized (this) {
        inner.close();
      }
      ofQueue.forEach(Shared::endClaims);
    }
  }
}
