package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

/**
 * Receivers that look when they are called and when a bell rings, and the bell does not ring each
 * time that there is something. As thread-safe as what they wrap.
 */
final class BrokenWakes {

  private static final long SLICE_MILLIS = 10;

  private BrokenWakes() {}

  /** What rings the bell of a queue. */
  private enum Rings {
    ALL_BUT_THE_SECOND_OF_A_BATCH,
    ALL_BUT_CLOSE,
    ALL_BUT_EXPIRY
  }

  /** Who waits for messages of a queue, over all connections. */
  static final class Bell {

    private static final class Waiter {
      boolean woken;
    }

    private final Set<Waiter> waiters = new LinkedHashSet<>();

    private synchronized Waiter enter() {
      Waiter waiter = new Waiter();
      waiters.add(waiter);
      return waiter;
    }

    private synchronized void leave(Waiter waiter) {
      waiters.remove(waiter);
    }

    private synchronized void ring(boolean all) {
      for (Waiter waiter : waiters) {
        if (!waiter.woken) {
          waiter.woken = true;
          if (!all) {
            return;
          }
        }
      }
    }

    private synchronized boolean hears(Waiter waiter) {
      boolean woken = waiter.woken;
      waiter.woken = false;
      return woken;
    }
  }

  /** A batch wakes one receiver, however many messages it has. */
  static Mq batchWakesOne(BrokenConnections run, Mq healthy) {
    return belled(run, healthy, Rings.ALL_BUT_THE_SECOND_OF_A_BATCH);
  }

  /** What a receiver gives back as it closes wakes nobody. */
  static Mq closeWakesNobody(BrokenConnections run, Mq healthy) {
    return belled(run, healthy, Rings.ALL_BUT_CLOSE);
  }

  /** The end of a claim wakes nobody. */
  static Mq expiryWakesNobody(BrokenConnections run, Mq healthy) {
    return belled(run, healthy, Rings.ALL_BUT_EXPIRY);
  }

  private static Mq belled(BrokenConnections run, Mq healthy, Rings rings) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        Bell bell = run.bellOf(queue);
        boolean all = rings != Rings.ALL_BUT_THE_SECOND_OF_A_BATCH;
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            try {
              inner.send(batch);
            } finally {
              bell.ring(all);
            }
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            try {
              return inner.sendAsync(batch);
            } finally {
              bell.ring(all);
            }
          }
        };
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new BelledReceiver(run, run.bellOf(queue), rings, receiver);
      }

      @Override
      public void close() {
        super.close();
        if (rings != Rings.ALL_BUT_CLOSE) {
          run.bells().forEach(bell -> bell.ring(true));
        }
      }
    };
  }

  private static final class BelledReceiver extends FullReceiver {

    private final BrokenConnections run;
    private final Bell bell;
    private final Rings rings;

    BelledReceiver(BrokenConnections run, Bell bell, Rings rings, Receiver inner) {
      super(inner);
      this.run = run;
      this.bell = bell;
      this.rings = rings;
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      if (timeout.isNegative()) {
        return inner.receive(max, timeout);
      }
      long start = System.nanoTime();
      long nanos =
          timeout.compareTo(Duration.ofDays(1)) > 0
              ? Duration.ofDays(1).toNanos()
              : timeout.toNanos();
      Bell.Waiter waiter = bell.enter();
      try {
        while (true) {
          Duration looked = run.now();
          List<Delivery> got = inner.receive(max, Duration.ZERO);
          if (!got.isEmpty()) {
            return got;
          }
          do {
            if (System.nanoTime() - start >= nanos) {
              return inner.receive(max, Duration.ZERO);
            }
            TimeUnit.MILLISECONDS.sleep(SLICE_MILLIS);
            requireSomethingToWaitFor();
          } while (!bell.hears(waiter)
              && (rings == Rings.ALL_BUT_EXPIRY || looked.equals(run.now())));
        }
      } finally {
        bell.leave(waiter);
      }
    }

    private void requireSomethingToWaitFor() {
      try {
        inner.release(List.of()).join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof MqException cause ? cause : e;
      }
    }

    @Override
    public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
      try {
        return inner.release(deliveries);
      } finally {
        bell.ring(true);
      }
    }

    @Override
    public void close() {
      inner.close();
      if (rings != Rings.ALL_BUT_CLOSE) {
        bell.ring(true);
      }
    }
  }

  /** A receiver that waits while its queue is deleted waits on, and brings nothing. */
  static Mq deletionEndsNoWait(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new ForwardingReceiver(receiver) {
              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                long start = System.nanoTime();
                try {
                  return inner.receive(max, timeout);
                } catch (MqException e) {
                  long waited = System.nanoTime() - start;
                  if (waited < TimeUnit.MILLISECONDS.toNanos(1)
                      || !String.valueOf(e.getMessage()).contains("deleted")) {
                    throw e;
                  }
                  TimeUnit.NANOSECONDS.sleep(timeout.toNanos() - waited);
                  return List.of();
                }
              }
            });
  }
}
