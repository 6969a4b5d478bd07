package org.mqproof.memory.broken;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.memory.MemoryBroker;
import org.mqproof.memory.broken.BrokenClaims.Claim;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;
import org.mqproof.memory.broken.Forwarding.KeptOpenReceiver;

/**
 * Ways to get connections and the broker itself wrong. An instance holds what one run of the kit
 * leaks, so that it can be freed afterwards. Thread-safe.
 */
final class BrokenConnections implements Closeable {

  private static final int MOST_CHANNELS = 2_047;

  private final CountDownLatch end = new CountDownLatch(1);
  private final Set<Closeable> leaked = ConcurrentHashMap.newKeySet();
  private final Traits declared = new MemoryBroker().connect().traits();
  private final AtomicInteger open = new AtomicInteger();
  private final Set<String> queues = ConcurrentHashMap.newKeySet();
  private final Map<String, Set<Sender>> openSenders = new ConcurrentHashMap<>();
  private final Map<String, Collection<Claim>> claims = new ConcurrentHashMap<>();
  private final Map<String, Semaphore> turns = new ConcurrentHashMap<>();
  private final Map<String, Collection<BrokenClaims.Begun>> begun = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> lost = new ConcurrentHashMap<>();
  private final Map<String, BrokenWakes.Bell> bells = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
  private final Map<String, BrokenRepeats.Held> holders = new ConcurrentHashMap<>();
  private final AtomicInteger receivers = new AtomicInteger();
  private final AtomicLong elapsedNanos = new AtomicLong();

  /** Who claims what of a queue, as the defects of {@link BrokenClaims} see it. */
  Collection<Claim> claims(String queue) {
    return claims.computeIfAbsent(queue, q -> new ConcurrentLinkedQueue<>());
  }

  /** Whose turn it is to wait for messages of a queue. */
  Semaphore turnOf(String queue) {
    return turns.computeIfAbsent(queue, q -> new Semaphore(1));
  }

  /** Claims of a queue with the moment at which they began. */
  Collection<BrokenClaims.Begun> begun(String queue) {
    return begun.computeIfAbsent(queue, q -> new ConcurrentLinkedQueue<>());
  }

  /** Messages of a queue that are lost when their claims end. */
  Set<String> lost(String queue) {
    return lost.computeIfAbsent(queue, q -> ConcurrentHashMap.newKeySet());
  }

  /** What wakes those who wait for messages of a queue. */
  BrokenWakes.Bell bellOf(String queue) {
    return bells.computeIfAbsent(queue, q -> new BrokenWakes.Bell());
  }

  Collection<BrokenWakes.Bell> bells() {
    return bells.values();
  }

  /** Counts whatever a defect counts over all connections. */
  AtomicInteger countOf(String what) {
    return counts.computeIfAbsent(what, w -> new AtomicInteger());
  }

  /** Who got each message last. */
  Map<String, BrokenRepeats.Held> holders() {
    return holders;
  }

  /** The queues there are, for defects that look at their names. */
  Set<String> queues() {
    return queues;
  }

  /** Whether the clock of the next receiver is ahead: of every second one. */
  boolean nextIsAhead() {
    return receivers.incrementAndGet() % 2 == 0;
  }

  /** The time that the kit let elapse. */
  Duration now() {
    return Duration.ofNanos(elapsedNanos.get());
  }

  void elapse(Duration time) {
    elapsedNanos.addAndGet(time.toNanos());
  }

  /** Declares 30 s; the broker was given another unit. */
  Mq expiryInTheWrongUnit(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      public Traits traits() {
        return declared;
      }
    };
  }

  /** Pending entries of receivers that are gone are never reclaimed: neither closed nor expired. */
  Mq pendingNeverReclaimed(Mq healthy) {
    return BrokenReceivers.closeKeepsClaims(expiryInTheWrongUnit(healthy));
  }

  /** Closed senders and receivers keep their channels. */
  static Mq channelsLeak(Mq healthy) {
    AtomicInteger opened = new AtomicInteger();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        requireChannel();
        return sender;
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        requireChannel();
        return receiver;
      }

      private void requireChannel() {
        if (opened.incrementAndGet() > MOST_CHANNELS) {
          throw new MqException("memory:well: no channel is left");
        }
      }
    };
  }

  /** A connection that missed a queue misses it for ever. */
  static Mq missingForEver(Mq healthy) {
    Map<String, String> missing = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        inner.createQueue(queue);
        missing.remove(queue);
      }

      @Override
      public Sender sender(String queue) {
        return open(queue, inner::sender);
      }

      @Override
      public Receiver receiver(String queue) {
        return open(queue, inner::receiver);
      }

      private <T> T open(String queue, Function<String, T> opening) {
        if (missing.containsKey(queue)) {
          throw new MqException(missing.get(queue));
        }
        try {
          return opening.apply(queue);
        } catch (MqException e) {
          missing.put(queue, String.valueOf(e.getMessage()));
          throw e;
        }
      }
    };
  }

  /** Declares 30 s; the broker's claims end sooner. */
  Mq claimsEndEarly(Mq healthy) {
    return expiryInTheWrongUnit(healthy);
  }

  /** A receiver gives back only while some sender of the queue is open. */
  Mq givesBackToSenders(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        Set<Sender> open = openSenders.computeIfAbsent(queue, q -> ConcurrentHashMap.newKeySet());
        open.add(sender);
        return new ForwardingSender(sender) {
          @Override
          public void close() {
            open.remove(inner);
            super.close();
          }
        };
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new KeptOpenReceiver(receiver) {
          @Override
          public void close() {
            super.close();
            if (!openSenders.getOrDefault(queue, Set.of()).isEmpty()) {
              inner.close();
            }
          }
        };
      }
    };
  }

  /** Claims that end are offered to the receivers of the connection that made them, to no other. */
  Mq expiryWithinTheConnection(Mq healthy) {
    Map<String, Collection<Claim>> own = new ConcurrentHashMap<>();
    return BrokenClaims.expiringHere(this, expiryInTheWrongUnit(healthy), own);
  }

  /** Messages vanish when the last client has closed. */
  Mq queueOfItsClients(Mq healthy) {
    open.incrementAndGet();
    return new ForwardingMq(healthy) {
      private boolean closed;

      @Override
      public void createQueue(String queue) {
        super.createQueue(queue);
        queues.add(queue);
      }

      @Override
      public void deleteQueue(String queue) {
        super.deleteQueue(queue);
        queues.remove(queue);
      }

      @Override
      public synchronized void close() {
        if (!closed && open.decrementAndGet() == 0) {
          for (String queue : queues) {
            inner.deleteQueue(queue);
            inner.createQueue(queue);
          }
        }
        closed = true;
        super.close();
      }
    };
  }

  /** A second close fails. */
  Mq secondCloseThrows(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          private boolean closed;

          @Override
          public void close() {
            if (closed) {
              throw new IllegalStateException("already closed");
            }
            closed = true;
            super.close();
          }
        };
      }
    };
  }

  /** A closed sender goes on sending. */
  Mq closedSenderSends(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void close() {
            // forgotten
          }
        };
      }
    };
  }

  /** Each connection starts a thread that nobody ends. */
  Mq threadLeft(Mq healthy) {
    var unused = startThread("heartbeat", new CountDownLatch(1));
    return healthy;
  }

  /** Waits until this is over, or the run of the kit is. */
  Thread startThread(String name, CountDownLatch over) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (end.getCount() > 0 && !over.await(10, TimeUnit.MILLISECONDS)) {
                  // nothing to do yet
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** A sender that has sent asynchronously has a thread, which only its own close ends. */
  Mq threadOfASender(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          private final CountDownLatch closed = new CountDownLatch(1);
          private @Nullable Thread flusher;

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            CompletableFuture<Void> sent = inner.sendAsync(batch);
            if (flusher == null) {
              flusher = startThread("flusher", closed);
            }
            return sent;
          }

          @Override
          public void close() {
            closed.countDown();
            super.close();
          }
        };
      }
    };
  }

  /** Each connection opens a socket that nobody closes. */
  Mq connectionLeft(Mq healthy) {
    try {
      InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      ServerSocket server = new ServerSocket(0, 1, loopback);
      leaked.add(server);
      leaked.add(new Socket(loopback, server.getLocalPort()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return healthy;
  }

  /** Errors do not say what did not answer. */
  Mq namelessError(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      public void createQueue(String queue) {
        try {
          super.createQueue(queue);
        } catch (MqException e) {
          throw new MqException("request timed out");
        }
      }
    };
  }

  @Override
  public void close() throws IOException {
    end.countDown();
    for (Closeable one : leaked) {
      one.close();
    }
  }
}
