package org.mqproof.jmh.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Traits;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;

/**
 * Receives what is left when nobody sends any more, and tells whether that was all. For one thread.
 */
public final class Drain {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /** Timeout of the last receive, which must find no message. */
  private static final Duration FINAL_RECEIVE = Duration.ofMillis(300);

  private static final Duration FINAL_RECEIVE_BOUND = Duration.ofSeconds(5);
  private static final int FINAL_RECEIVE_MAX = 1_000;

  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final @Nullable Ledger ledger;
  private final LongSupplier left;
  private final Traits traits;
  private final Duration bound;
  private final Duration idle;
  private final CountDownLatch over = new CountDownLatch(1);

  /**
   * Prepares.
   *
   * @param ledger null if nothing is verified
   * @param left messages still to come; an estimate where duplicates or unknowns are about
   * @param bound longest time to empty the queue
   * @param idle time without a message after which the queue counts as empty
   */
  public Drain(
      @Nullable Ledger ledger, LongSupplier left, Traits traits, Duration bound, Duration idle) {
    this.ledger = ledger;
    this.left = left;
    this.traits = traits;
    this.bound = bound;
    this.idle = idle;
  }

  /**
   * Receives with every receiver, each in a thread of its own.
   *
   * @return true if the queue is empty: every confirmed message has come, or none has come for the
   *     idle time; false if the bound was reached before, or every receiver failed
   */
  public boolean run(List<Receiving> receivers) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(receivers.size());
    try {
      List<Future<Boolean>> running = new ArrayList<>();
      for (Receiving receiving : receivers) {
        running.add(threads.submit(() -> receiveUntilOver(receiving)));
      }
      boolean drained = watch(receivers, running);
      over.countDown();
      for (Future<Boolean> one : running) {
        drained &= finished(one);
      }
      return drained;
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Receives once more, when every receiver of the trial is closed: a message whose ack completed
   * and that is still in the queue comes back now. Systems that take longer to give back than the
   * time of one empty receive are not found out here.
   *
   * @param queues those of the trial
   */
  public void lookAgain(Mq mq, Ledger book, List<String> queues) throws InterruptedException {
    long end = System.nanoTime() + FINAL_RECEIVE_BOUND.toNanos();
    for (String queue : queues) {
      ReceiverLog log = book.newReceiver();
      try (Receiver receiver = mq.receiver(queue)) {
        List<Delivery> batch;
        do {
          batch = receiver.receive(FINAL_RECEIVE_MAX, FINAL_RECEIVE);
          log.delivered(batch, sentAtNanos -> {});
          if (!batch.isEmpty()) {
            var unused = log.ack(receiver, batch); // the close completes it
          }
        } while (!batch.isEmpty() && System.nanoTime() - end < 0);
      }
    }
  }

  private boolean receiveUntilOver(Receiving receiving) throws InterruptedException {
    receiving.begin(Timeline.Phase.UNMEASURED);
    while (over.getCount() > 0) {
      receiving.receive(POLL_INTERVAL);
    }
    return true;
  }

  private boolean finished(Future<Boolean> receiver) throws InterruptedException {
    try {
      return receiver.get(2 * traits.callBound().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      String what = e instanceof TimeoutException ? "hung" : "failed: " + e.getCause();
      System.out.println("draining: a receiver " + what);
      return false;
    }
  }

  private boolean watch(List<Receiving> receivers, List<Future<Boolean>> running)
      throws InterruptedException {
    long start = System.nanoTime();
    long lastProgress = start;
    long lastChange = start;
    long lastReceived = received(receivers);
    long idleNanos = idle(receivers).toNanos();
    while (!everythingCame()) {
      if (running.stream().allMatch(Future::isDone) || over.await(20, TimeUnit.MILLISECONDS)) {
        return false; // every receiver failed
      }
      long now = System.nanoTime();
      long received = received(receivers);
      if (received != lastReceived) {
        lastReceived = received;
        lastChange = now;
      } else if (now - lastChange > idleNanos) {
        return true;
      }
      if (now - start > bound.toNanos()) {
        return false;
      }
      if (now - lastProgress > PROGRESS_NANOS) {
        lastProgress = now;
        System.out.printf(Locale.ROOT, "draining: %,d left%n", left.getAsLong());
      }
    }
    return true;
  }

  /** A receiver that failed left claims behind, which end within the declared bound. */
  private Duration idle(List<Receiving> receivers) {
    boolean failed = receivers.stream().anyMatch(r -> r.failedReceives() > 0);
    return failed ? idle.plus(traits.redeliveryBound()) : idle;
  }

  private boolean everythingCame() {
    // The count is cheap and the ledger is exact: so the one tells when to ask the other.
    return left.getAsLong() <= 0 && (ledger == null || ledger.allConfirmedDelivered());
  }

  private static long received(List<Receiving> receivers) {
    return receivers.stream().mapToLong(Receiving::received).sum();
  }
}
