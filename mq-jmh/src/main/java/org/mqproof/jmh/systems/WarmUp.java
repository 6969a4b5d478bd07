package org.mqproof.jmh.systems;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/**
 * Loads a cluster that was just started, until its rate no longer rises: brokers compile their code
 * and grow their logs and heaps in the first minute, and the first rows would measure that. For one
 * use.
 *
 * <p>First many senders send small batches one after the other: what a broker compiles first is
 * what it does most often, and that is requests, not messages. Then they pipeline.
 */
final class WarmUp {

  /** Seconds whose rates are held against those before; a convention. */
  private static final int WINDOW_SECONDS = 10;

  /** Windows agree when the later one is faster by less than that; a convention. */
  private static final double AGREES = 0.1;

  /** How long a receive waits before it looks whether it is to end. */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  private static final int SENDERS = 8;
  private static final int BATCH = 5;
  private static final int BODY_BYTES = 100;
  private static final long MOST_BACKLOG = 10_000;

  private final Mq mq;
  private final Duration bound;
  private final String queue = "mqproof-warmup-" + UUID.randomUUID().toString().substring(0, 8);
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong();
  private final AtomicReference<@Nullable MqException> failure = new AtomicReference<>();
  private volatile boolean over;

  WarmUp(Mq mq, Duration bound) {
    this.mq = mq;
    this.bound = bound;
  }

  /**
   * Sends and receives until windows agree, at most until the bound.
   *
   * @return what was seen, part of a sentence
   * @throws MqException if the system fails
   */
  String run() throws InterruptedException {
    mq.createQueue(queue);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      threads.add(thread("send", this::send));
    }
    threads.add(thread("receive", this::receive));
    List<Long> seconds;
    try {
      seconds = watch();
    } finally {
      over = true;
      for (Thread thread : threads) {
        thread.join(mq.traits().callBound().toMillis());
      }
    }
    MqException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    mq.deleteQueue(queue);
    return String.format(
        Locale.ROOT,
        "warmed up in %d s: %,d msgs/s in the first of them, %,d in the last%s",
        seconds.size(),
        seconds.get(0),
        seconds.get(seconds.size() - 1),
        agree(seconds) ? "" : " and still rising");
  }

  /** Messages received in each second, until windows agree or the time is over. */
  private List<Long> watch() throws InterruptedException {
    long endNanos = System.nanoTime() + bound.toNanos();
    List<Long> seconds = new ArrayList<>();
    long last = 0;
    while (seconds.isEmpty()
        || (failure.get() == null && !agree(seconds) && System.nanoTime() - endNanos < 0)) {
      Thread.sleep(1_000);
      long now = received.get();
      seconds.add(now - last);
      last = now;
    }
    return seconds;
  }

  /** Whether the last window is no longer faster than the one before. */
  static boolean agree(List<Long> seconds) {
    int end = seconds.size();
    if (end < 2 * WINDOW_SECONDS) {
      return false;
    }
    long later = sum(seconds.subList(end - WINDOW_SECONDS, end));
    long before = sum(seconds.subList(end - 2 * WINDOW_SECONDS, end - WINDOW_SECONDS));
    return before > 0 && later < before * (1 + AGREES);
  }

  private static long sum(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).sum();
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private Thread thread(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (MqException e) {
                failure.compareAndSet(null, e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "warm-up " + name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private boolean goesOn() {
    return !over && failure.get() == null;
  }

  private void send() throws InterruptedException {
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      batch.add(new Message(new byte[BODY_BYTES]));
    }
    try (Sender sender = mq.sender(queue)) {
      while (goesOn()) {
        if (sent.get() - received.get() > MOST_BACKLOG) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        } else {
          sender.send(batch);
          sent.addAndGet(BATCH);
        }
      }
    }
  }

  private void receive() throws InterruptedException {
    try (Receiver receiver = mq.receiver(queue)) {
      while (goesOn()) {
        List<Delivery> deliveries = receiver.receive(1_000, POLL_INTERVAL);
        if (!deliveries.isEmpty()) {
          received.addAndGet(deliveries.size());
          await(receiver.ack(deliveries));
        }
      }
    }
  }

  private void await(CompletableFuture<Void> future) throws InterruptedException {
    try {
      // Twice the bound that the adapter declares: beyond that it has broken its word.
      future.get(2 * mq.traits().callBound().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof MqException failed
          ? failed
          : new IllegalStateException("what the contract does not know", e.getCause());
    } catch (TimeoutException e) {
      throw new MqException("a call did not end within twice its bound", e);
    }
  }
}
