package org.mqproof.mongodb;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;

/**
 * Receives from one queue. Claims no more than is asked for: nothing is hidden from others before
 * somebody wants it. After an error it works on, but what it had claimed without an answer stays
 * hidden until it is closed, or until the claim period is over.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 */
final class MongoReceiver implements Receiver {

  /** Pauses between looks while the queue is empty: the first, and the longest unless watched. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

  /** While news are watched for, only an expired claim is found by looking. */
  private static final long WATCHED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Server server;
  private final Queues queues;
  private final Queues.Queue queue;
  private final Claiming claiming;
  private final Claims claims;
  private final Acks acks;
  private final Arrivals arrivals;
  private final Consumer<MongoReceiver> onClose;
  private final ArrayDeque<MongoDelivery> buffered = new ArrayDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable Future<List<MongoDelivery>> claim;
  // When the claim began that is under way, or that brought what is buffered.
  private long claimedNanos = System.nanoTime();
  private volatile boolean gaveUp;
  private long lastLookNanos = System.nanoTime();

  MongoReceiver(
      Server server,
      Queues queues,
      Queues.Queue queue,
      Claiming claiming,
      Claims claims,
      Acks acks,
      Arrivals arrivals,
      Consumer<MongoReceiver> onClose) {
    this.server = server;
    this.queues = queues;
    this.queue = queue;
    this.claiming = claiming;
    this.claims = claims;
    this.acks = acks;
    this.arrivals = arrivals;
    this.onClose = onClose;
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long timeoutNanos = Arguments.timeoutNanos(max, timeout);
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before receiving from queue " + queue.name());
    }
    long start = System.nanoTime();
    long pause = FIRST_PAUSE_NANOS;
    giveBackIfTooOld();
    while (buffered.isEmpty()) {
      long generation = arrivals.generation();
      Duration bound = server.settings().callBound();
      buffered.addAll(claim(max, bound));
      giveBackIfTooOld();
      long left = timeoutNanos - (System.nanoTime() - start);
      if (buffered.isEmpty()) {
        if (left <= 0) {
          return List.of();
        }
        boolean patient = pause >= LONGEST_PAUSE_NANOS;
        long rest = arrivals.isLive() ? WATCHED_PAUSE_NANOS : pause;
        arrivals.await(generation, Math.min(left, rest), patient);
        pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
        requireOpen();
      }
    }
    List<Delivery> taken = new ArrayList<>();
    while (taken.size() < max && !buffered.isEmpty()) {
      taken.add(buffered.removeFirst());
    }
    return taken;
  }

  /**
   * What an earlier call left behind, or what took the server too long: the claim would end before
   * it has lasted a whole period.
   */
  private void giveBackIfTooOld() {
    if (!buffered.isEmpty() && System.nanoTime() - claimedNanos >= claims.holdNanos()) {
      acks.giveBackSoon(List.copyOf(buffered));
      buffered.clear();
    }
  }

  /** An interrupted wait leaves the claim under way to the next call. */
  private List<MongoDelivery> claim(int max, Duration bound) throws InterruptedException {
    Future<List<MongoDelivery>> underWay = claim;
    if (underWay == null) {
      claimedNanos = System.nanoTime();
      underWay = server.calls().submit(() -> claimInBackground(max));
      claim = underWay;
    }
    String what = "receive from queue " + queue.name();
    try {
      List<MongoDelivery> claimed = server.calls().await(what, underWay, bound);
      claim = null;
      return claimed;
    } catch (MqException e) {
      if (underWay.isDone()) {
        claim = null;
      }
      throw e;
    }
  }

  // In a thread of the server's; one at a time.

  private List<MongoDelivery> claimInBackground(int max) {
    acks.beginClaim();
    List<MongoDelivery> claimed = acks.claimed(claiming.claim(max, acks));
    if (claimed.isEmpty()) {
      requireQueue();
    }
    if (gaveUp) {
      acks.giveBack(); // nobody waits for it any more
    }
    return claimed;
  }

  /** A queue that is gone looks empty. */
  private void requireQueue() {
    long now = System.nanoTime();
    if (now - lastLookNanos >= TimeUnit.SECONDS.toNanos(1)) {
      lastLookNanos = now;
      if (!queues.isThere(queue)) {
        throw new MqException("there is no queue " + queue.name() + " any more");
      }
    }
  }

  // For the thread that receives.

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return acks.ack(deliveries);
  }

  @Override
  public void close() {
    if (beginClose()) {
      finishClose(System.nanoTime() + server.settings().callBound().toNanos());
    }
  }

  /** Refuses further calls; true at the first time. */
  boolean beginClose() {
    return closed.compareAndSet(false, true);
  }

  /**
   * Waits for the acks, and gives back the rest. What cannot be given back in time comes back at
   * the end of its claim period.
   */
  void finishClose(long deadlineNanos) {
    boolean interrupted = Thread.interrupted();
    try {
      Future<List<MongoDelivery>> underWay = claim;
      if (underWay != null) {
        awaitQuietly(underWay, deadlineNanos);
      }
      acks.awaitIdle(deadlineNanos);
      awaitQuietly(server.calls().submit(this::giveBack), deadlineNanos);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      gaveUp = true;
      onClose.accept(this);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Boolean giveBack() {
    acks.giveBack();
    return true;
  }

  private void awaitQuietly(Future<?> future, long deadlineNanos) throws InterruptedException {
    long left = Math.max(0, deadlineNanos - System.nanoTime());
    try {
      Object unused = server.calls().await("close a receiver", future, Duration.ofNanos(left));
    } catch (MqException e) {
      return; // the end of the claim period does what this could not
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this receiver of queue " + queue.name() + " is closed");
    }
  }
}
