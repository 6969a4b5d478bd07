package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;
import org.mqproof.memory.broken.Forwarding.FullReceiver;

/**
 * Ways to get release, extend, the outcomes of acks and the caller's futures wrong. As thread-safe
 * as what they wrap.
 */
final class BrokenReleases {

  private BrokenReleases() {}

  /** Knows what it handed out, and has not seen acked or released. */
  private static class Holding extends FullReceiver {

    final Set<Delivery> held = ConcurrentHashMap.newKeySet();

    Holding(Receiver inner) {
      super(inner);
    }

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      List<Delivery> batch = inner.receive(max, timeout);
      held.addAll(batch);
      return batch;
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      CompletableFuture<Void> done = inner.ack(deliveries);
      deliveries.forEach(held::remove);
      return done;
    }
  }

  /** A release is written down, and the claim ends at its time. */
  static Mq releaseDoesNothing(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Holding(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                return held.containsAll(deliveries)
                    ? inner.ack(List.of())
                    : inner.release(deliveries);
              }
            });
  }

  /** A release rolls back the whole session. */
  static Mq releaseOfAll(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Holding(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.release(deliveries);
                return deliveries.isEmpty() ? done : inner.release(held);
              }
            });
  }

  /** A release is an ack to the system. */
  static Mq releaseSettles(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                return inner.ack(deliveries);
              }
            });
  }

  /** A release sends the message to the end of the queue, and the claim ends too. */
  static Mq releaseDuplicates(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new Holding(receiver) {
          @Override
          public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
            List<Message> again = new ArrayList<>();
            deliveries.forEach(
                delivery -> {
                  if (held.remove(delivery)) {
                    again.add(delivery.message());
                  }
                });
            CompletableFuture<Void> done = inner.release(deliveries);
            sendAgain(queue, again);
            return done;
          }
        };
      }

      private void sendAgain(String queue, List<Message> again) {
        try (Sender sender = inner.sender(queue)) {
          sender.sendAsync(again).exceptionally(failure -> null).join();
        } catch (MqException | IllegalStateException e) {
          // the queue or the connection is gone
        }
      }
    };
  }

  /** A released message is for receivers that ask from now on: whoever waits is not woken. */
  static Mq releaseWakesNobody(BrokenConnections run, Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Holding(receiver) {
              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                if (!held.containsAll(deliveries)) {
                  return inner.release(deliveries);
                }
                if (run.countOf("waiting for " + queue).get() == 0) {
                  return inner.release(deliveries);
                }
                return inner.ack(List.of()); // until the claim ends
              }

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                boolean waits = timeout.compareTo(Duration.ofSeconds(1)) > 0;
                if (waits) {
                  run.countOf("waiting for " + queue).incrementAndGet();
                }
                try {
                  return super.receive(max, timeout);
                } finally {
                  if (waits) {
                    run.countOf("waiting for " + queue).decrementAndGet();
                  }
                }
              }
            });
  }

  /** An extend is only looked at by the client. */
  static Mq extendDoesNothing(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Holding(receiver) {
              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                boolean open = deliveries.stream().noneMatch(d -> d.toString().contains("ENDED"));
                return open && held.containsAll(deliveries)
                    ? inner.ack(List.of())
                    : inner.extend(deliveries);
              }
            });
  }

  /** An extend is the session's heartbeat. */
  static Mq extendOfAll(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new Holding(receiver) {
              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                CompletableFuture<Void> done = inner.extend(deliveries);
                return done.isCompletedExceptionally() ? done : inner.extend(held);
              }
            });
  }

  /** An extended claim has no end any more. */
  static Mq extendForEver(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
                return inner.ack(deliveries); // nobody gets it again
              }
            });
  }

  /** The outcomes of an ack are told last first. */
  static Mq outcomesReversed(Mq healthy) {
    return outcomes(
        healthy,
        outcomes -> {
          List<Outcome> reversed = new ArrayList<>(outcomes);
          Collections.reverse(reversed);
          return reversed;
        });
  }

  /** A failed ack knows nothing of anyone. */
  static Mq outcomesUnknown(Mq healthy) {
    return outcomes(healthy, outcomes -> Collections.nCopies(outcomes.size(), Outcome.UNKNOWN));
  }

  private interface Telling {
    List<Outcome> told(List<Outcome> outcomes);
  }

  private static Mq outcomes(Mq healthy, Telling telling) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                return inner
                    .ack(deliveries)
                    .exceptionally(
                        failure -> {
                          Throwable cause =
                              failure instanceof CompletionException ? failure.getCause() : failure;
                          if (cause instanceof AckFailedException told) {
                            throw new CompletionException(
                                new AckFailedException(
                                    "not all acked", telling.told(told.outcomes()), told));
                          }
                          throw new CompletionException(cause);
                        });
              }
            });
  }

  /** What was given to an ack counts as acked, also when that failed. */
  static Mq failedAckNeverAgain(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private final Set<Delivery> given = ConcurrentHashMap.newKeySet();

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                List<Delivery> others = new ArrayList<>(deliveries);
                others.removeAll(given);
                CompletableFuture<Void> done = inner.ack(others);
                given.addAll(others);
                return done;
              }
            });
  }

  /** A send is not made whose future somebody has ended before. */
  static Mq endedSendDropped(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          private final InTurn turns = new InTurn();

          @Override
          public void send(List<Message> batch) throws InterruptedException {
            turns.await();
            inner.send(batch);
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            CompletableFuture<Void> checked = inner.sendAsync(List.of());
            return batch.isEmpty() ? checked : turns.add(() -> sendLater(batch));
          }

          private CompletableFuture<Void> sendLater(List<Message> batch) {
            try {
              return inner.sendAsync(batch);
            } catch (IllegalStateException e) {
              return CompletableFuture.failedFuture(
                  new SendFailedException(
                      "closed", Collections.nCopies(batch.size(), Outcome.REJECTED), e));
            }
          }

          @Override
          public void close() {
            turns.await();
            super.close();
          }
        };
      }
    };
  }

  /** An ack is not written whose future somebody has ended before. */
  static Mq endedAckDropped(Mq healthy) {
    return new ForwardingMq(healthy) {
      private final Set<Receiver> open = ConcurrentHashMap.newKeySet();

      @Override
      Receiver broken(String queue, Receiver receiver) {
        Receiver broken =
            new Holding(receiver) {
              private final InTurn turns = new InTurn();

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                turns.await();
                return super.receive(max, timeout);
              }

              @Override
              public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
                if (!held.containsAll(deliveries) || deliveries.size() != 1) {
                  turns.await();
                  return super.ack(deliveries);
                }
                CompletableFuture<Void> checked = inner.ack(List.of());
                assert checked.isDone();
                return turns.add(() -> inner.ack(deliveries));
              }

              @Override
              public void close() {
                turns.await();
                super.close();
                open.remove(this);
              }
            };
        open.add(broken);
        return broken;
      }

      @Override
      public void close() {
        open.forEach(Receiver::close);
        super.close();
      }
    };
  }

  /** Calls that are made one after the other, a moment later, unless their future has ended. */
  private static final class InTurn {

    private static final long A_MOMENT_NANOS = 300_000;

    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    synchronized CompletableFuture<Void> add(Supplier<CompletableFuture<Void>> call) {
      CompletableFuture<Void> ofTheCaller = new CompletableFuture<>();
      last =
          last.thenRunAsync(
              () -> {
                LockSupport.parkNanos(A_MOMENT_NANOS);
                if (!ofTheCaller.isDone()) {
                  CompletableFuture<Void> unused =
                      call.get()
                          .whenComplete(
                              (done, failure) -> {
                                if (failure == null) {
                                  ofTheCaller.complete(null);
                                } else {
                                  ofTheCaller.completeExceptionally(failure);
                                }
                              });
                }
              });
      return ofTheCaller;
    }

    void await() {
      CompletableFuture<Void> before;
      synchronized (this) {
        before = last;
      }
      before.exceptionally(failure -> null).join();
    }
  }

  /** A window that a release does not open again is used up. */
  static Mq deafAfterHundredReleases(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new FullReceiver(receiver) {
              private int released;

              @Override
              public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
                if (released < 100) {
                  return inner.receive(max, timeout);
                }
                TimeUnit.NANOSECONDS.sleep(timeout.toNanos());
                return List.of();
              }

              @Override
              public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
                released += deliveries.size();
                return inner.release(deliveries);
              }
            });
  }
}
