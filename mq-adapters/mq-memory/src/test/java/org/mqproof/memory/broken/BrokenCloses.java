package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;
import org.mqproof.memory.broken.Forwarding.FullReceiver;

/** Ways to close wrongly while something else goes on. Thread-safe. */
final class BrokenCloses {

  private static final long A_WHILE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private BrokenCloses() {}

  /** Two threads that close at the same time meet in the middle of it. */
  static Mq twoClosersMeet(Mq healthy) {
    return new ForwardingMq(healthy) {
      private final AtomicBoolean closing = new AtomicBoolean();
      private volatile boolean closed;

      @Override
      public void close() {
        if (!closing.compareAndSet(false, true) && !closed) {
          throw new ConcurrentModificationException("senders");
        }
        LockSupport.parkNanos(closed ? 1 : A_WHILE_NANOS);
        super.close();
        closed = true;
      }
    };
  }

  /** What is opened while the connection closes is missed, and works on. */
  static Mq openedWhileClosingWorksOn(Mq healthy) {
    return new Closing(healthy) {
      @Override
      public Sender sender(String queue) {
        return isClosing() ? new Nowhere() : super.sender(queue);
      }
    };
  }

  /** What is opened while the connection closes is missed, and leaves its thread. */
  static Mq openedWhileClosingLeavesAThread(BrokenConnections leaks, Mq healthy) {
    return new Closing(healthy) {
      @Override
      public Receiver receiver(String queue) {
        if (isClosing()) {
          Mq same = leaks.threadLeft(inner);
          throw new IllegalStateException("closed " + same.traits().mode());
        }
        return super.receiver(queue);
      }
    };
  }

  /** Closing waits for a receive to end by itself. */
  static Mq closeWaitsForReceive(Mq healthy) {
    return new ForwardingMq(healthy) {
      private final ReadWriteLock calls = new ReentrantReadWriteLock();

      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            calls.readLock().lock();
            try {
              return inner.receive(max, timeout);
            } finally {
              calls.readLock().unlock();
            }
          }
        };
      }

      @Override
      public void close() {
        calls.writeLock().lock();
        try {
          super.close();
        } finally {
          calls.writeLock().unlock();
        }
      }
    };
  }

  /** A receiver's close ends its claims; the connection's close only forgets its receivers. */
  static Mq connectionCloseKeepsClaims(Mq healthy) {
    return new ForwardingMq(healthy) {
      private final Set<Sender> senders = ConcurrentHashMap.newKeySet();
      private volatile boolean closed;

      @Override
      public void createQueue(String queue) {
        requireOpen();
        super.createQueue(queue);
      }

      @Override
      public void deleteQueue(String queue) {
        requireOpen();
        super.deleteQueue(queue);
      }

      @Override
      public Sender sender(String queue) {
        requireOpen();
        Sender sender = super.sender(queue);
        senders.add(sender);
        if (closed) {
          sender.close();
          requireOpen();
        }
        return sender;
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        requireOpen();
        return new ForwardingReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            long start = System.nanoTime();
            while (true) {
              requireOpen();
              Duration left = timeout.minusNanos(System.nanoTime() - start);
              Duration wait = left.isNegative() ? Duration.ZERO : left;
              Duration most = Duration.ofMillis(20);
              List<Delivery> batch =
                  inner.receive(
                      max, timeout.isNegative() ? timeout : wait.compareTo(most) < 0 ? wait : most);
              if (!batch.isEmpty() || wait.isZero()) {
                return batch;
              }
            }
          }

          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            requireOpen();
            return inner.ack(deliveries);
          }
        };
      }

      private void requireOpen() {
        if (closed) {
          throw new IllegalStateException("closed");
        }
      }

      @Override
      public void close() {
        closed = true;
        senders.forEach(Sender::close);
      }
    };
  }

  /** A connection that takes a while to close, and knows that it does. */
  private abstract static class Closing extends ForwardingMq {

    private volatile boolean closing;
    private volatile boolean closed;

    Closing(Mq inner) {
      super(inner);
    }

    boolean isClosing() {
      return closing && !closed;
    }

    @Override
    public void close() {
      if (!closing) {
        closing = true;
        LockSupport.parkNanos(A_WHILE_NANOS);
        closed = true;
      }
      super.close();
    }
  }

  /** A sender of a connection that is gone. */
  private static final class Nowhere extends ForwardingSender {

    Nowhere() {
      super(NOTHING);
    }

    private static final Sender NOTHING =
        new Sender() {
          @Override
          public void send(List<Message> batch) {
            // to nowhere
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            return CompletableFuture.completedFuture(null);
          }

          @Override
          public void close() {
            // nothing was opened
          }
        };
  }

  /** A pool that is given the same thing twice takes its newest one for it. */
  static Mq secondCloseClosesAnother(Mq healthy) {
    return new ForwardingMq(healthy) {
      private final Deque<AutoCloseable> open = new ConcurrentLinkedDeque<>();

      private void closeOf(AutoCloseable one) {
        AutoCloseable closing = open.remove(one) ? one : open.peekLast();
        try {
          if (closing != null) {
            closing.close();
          }
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      Sender broken(String queue, Sender sender) {
        open.add(sender);
        return new ForwardingSender(sender) {
          @Override
          public void close() {
            closeOf(inner);
          }
        };
      }

      @Override
      Receiver broken(String queue, Receiver receiver) {
        open.add(receiver);
        return new FullReceiver(receiver) {
          @Override
          public void close() {
            closeOf(inner);
          }
        };
      }
    };
  }
}
