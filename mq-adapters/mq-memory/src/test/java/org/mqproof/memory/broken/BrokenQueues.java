package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
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

/** Ways to get a queue's name and life wrong. As thread-safe as what they wrap. */
final class BrokenQueues {

  private static final int LONGEST_NAME = 80;

  private BrokenQueues() {}

  /** The system's names have no case. */
  static Mq namesInLowerCase(Mq healthy) {
    return named(healthy, name -> name.toLowerCase(Locale.ROOT));
  }

  /** The system's names are short. */
  static Mq namesCut(Mq healthy) {
    return named(
        healthy,
        name ->
            name.length() > LONGEST_NAME && name.length() < 201
                ? name.substring(0, LONGEST_NAME)
                : name);
  }

  /** The system's names have no dots. */
  static Mq dotsReplaced(Mq healthy) {
    return named(healthy, name -> name.length() < 3 ? name : name.replace('.', '_'));
  }

  private static Mq named(Mq healthy, UnaryOperator<String> naming) {
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        inner.createQueue(naming.apply(queue));
      }

      @Override
      public void deleteQueue(String queue) {
        inner.deleteQueue(naming.apply(queue));
      }

      @Override
      public Sender sender(String queue) {
        return inner.sender(naming.apply(queue));
      }

      @Override
      public Receiver receiver(String queue) {
        return inner.receiver(naming.apply(queue));
      }
    };
  }

  /** A name is checked by a pattern whose end matches before a last line feed. */
  static Mq lineFeedAtTheEnd(Mq healthy) {
    return named(
        healthy, name -> name.endsWith("\n") ? name.substring(0, name.length() - 1) : name);
  }

  /** A queue is deleted with all that is below it. */
  static Mq deleteTakesChildren(BrokenConnections run, Mq healthy) {
    return deletingToo(run, healthy, (other, deleted) -> other.startsWith(deleted + "."));
  }

  /** A name is a pattern to the system. */
  static Mq deleteByPattern(BrokenConnections run, Mq healthy) {
    return deletingToo(run, healthy, String::matches);
  }

  private static Mq deletingToo(
      BrokenConnections run, Mq healthy, BiPredicate<String, String> isDeletedToo) {
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        super.createQueue(queue);
        run.queues().add(queue);
      }

      @Override
      public void deleteQueue(String queue) {
        super.deleteQueue(queue);
        for (String other : run.queues()) {
          if (other.equals(queue) || isDeletedToo.test(other, queue)) {
            super.deleteQueue(other);
            run.queues().remove(other);
          }
        }
      }
    };
  }

  /** A sender writes to the queue that it was opened for, also when another has its name. */
  static Mq oldSenderFeedsAGhost(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          private boolean isRemade() {
            try {
              healthy.sender(queue).close();
              return true;
            } catch (MqException | IllegalStateException e) {
              return false; // there is none
            }
          }

          @Override
          public void send(List<Message> batch) throws InterruptedException {
            try {
              super.send(batch);
            } catch (MqException e) {
              if (!isOfADeletedQueue(e) || !isRemade()) {
                throw e;
              }
            }
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            CompletableFuture<Void> sent = super.sendAsync(batch);
            boolean astray =
                sent.handle((done, failure) -> isOfADeletedQueue(failure)).join() && isRemade();
            return astray ? CompletableFuture.completedFuture(null) : sent;
          }
        };
      }
    };
  }

  private static boolean isOfADeletedQueue(@Nullable Throwable failure) {
    return failure != null && String.valueOf(failure.getMessage()).contains("was deleted");
  }

  /** Creating a queue that exists starts it anew: who held messages does not any more. */
  static Mq createEndsClaims(Mq healthy) {
    Map<String, Map<Delivery, Receiver>> held = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        super.createQueue(queue);
        held.getOrDefault(queue, Map.of())
            .forEach(
                (delivery, receiver) -> {
                  try {
                    var unused = receiver.release(List.of(delivery));
                  } catch (IllegalStateException e) {
                    // closed: given back
                  }
                });
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        Map<Delivery, Receiver> ofQueue =
            held.computeIfAbsent(queue, q -> new ConcurrentHashMap<>());
        return new FullReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = inner.receive(max, timeout);
            batch.forEach(delivery -> ofQueue.put(delivery, inner));
            return batch;
          }
        };
      }
    };
  }

  /** The position of the group outlives its queue: as many messages as were acked are skipped. */
  static Mq positionOutlivesTheQueue(Mq healthy) {
    Map<String, AtomicInteger> acked = new ConcurrentHashMap<>();
    Map<String, AtomicInteger> toSkip = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      public void deleteQueue(String queue) {
        super.deleteQueue(queue);
        AtomicInteger position = acked.remove(queue);
        if (position != null) {
          toSkip.put(queue, position);
        }
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> batch = new ArrayList<>(inner.receive(max, timeout));
            AtomicInteger skip = toSkip.getOrDefault(queue, new AtomicInteger());
            while (!batch.isEmpty() && skip.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
              inner.ack(List.of(batch.remove(0))).join();
            }
            return batch;
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            acked.computeIfAbsent(queue, q -> new AtomicInteger()).addAndGet(deliveries.size());
            return inner.ack(deliveries);
          }
        };
      }
    };
  }

  /** Deleting forgets the queue's entry; its messages are found again by its name. */
  static Mq deleteKeepsMessages(Mq healthy) {
    Map<String, List<Message>> kept = new HashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      public synchronized void deleteQueue(String queue) {
        List<Message> messages = new ArrayList<>();
        try (Receiver receiver = inner.receiver(queue)) {
          List<Delivery> batch;
          do {
            batch = receiver.receive(1_000, Duration.ZERO);
            batch.forEach(delivery -> messages.add(delivery.message()));
          } while (!batch.isEmpty());
        } catch (MqException e) {
          // there is no such queue
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        if (!messages.isEmpty()) {
          kept.put(queue, messages);
        }
        super.deleteQueue(queue);
      }

      @Override
      public synchronized void createQueue(String queue) {
        super.createQueue(queue);
        List<Message> messages = kept.remove(queue);
        if (messages != null) {
          try (Sender sender = inner.sender(queue)) {
            sender.send(messages);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }
      }
    };
  }

  /** Of several that create a queue at the same time the later ones get one that nobody reads. */
  static Mq createdTogetherGoesAstray(BrokenConnections run, Mq healthy) {
    Set<String> astray = ConcurrentHashMap.newKeySet();
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        AtomicInteger creating = run.countOf("creating " + queue);
        if (creating.incrementAndGet() > 1) {
          astray.add(queue);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        creating.decrementAndGet();
        super.createQueue(queue);
      }

      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            inner.send(astray.contains(queue) ? List.of() : batch);
          }
        };
      }
    };
  }

  /** A connection remembers what it created, and does not create it again. */
  static Mq creationRemembered(Mq healthy) {
    Set<String> created = ConcurrentHashMap.newKeySet();
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        if (!created.contains(queue)) {
          super.createQueue(queue);
          created.add(queue);
        }
      }

      @Override
      public void deleteQueue(String queue) {
        super.deleteQueue(queue);
        created.remove(queue);
      }

      @Override
      public void close() {
        created.clear();
        super.close();
      }
    };
  }

  /** What a receiver has written into a body is in the next delivery of its connection. */
  static Mq bodiesShared(Mq healthy) {
    Map<String, Message> handedOut = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private final Map<Delivery, Delivery> inside = new ConcurrentHashMap<>();

          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            return inner.receive(max, timeout).stream().map(this::shared).toList();
          }

          private Delivery shared(Delivery delivery) {
            String body = new String(delivery.message().body(), ISO_8859_1);
            Message message =
                handedOut.computeIfAbsent(queue + " " + body, b -> delivery.message());
            Delivery shared = () -> message;
            inside.put(shared, delivery);
            return shared;
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            return inner.ack(deliveries.stream().map(d -> inside.getOrDefault(d, d)).toList());
          }
        };
      }
    };
  }
}
