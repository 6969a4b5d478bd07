package org.mqproof.support;

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

/**
 * Receives from a queue of which messages are claimed by requests. Claims no more than is asked
 * for: nothing is hidden from others before somebody wants it. After an error it works on, but what
 * it had claimed without an answer stays hidden until the claim period is over.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 *
 * @param <D> the receiver's deliveries
 */
public final class ClaimingReceiver<D extends ClaimedDelivery> implements Receiver {

  /**
   * The requests; called in threads in which they may block, one claim at a time.
   *
   * @param <D> the receiver's deliveries
   */
  public interface Claims<D extends ClaimedDelivery> extends AckRounds.Settling<D> {

    /**
     * Claims what is there.
     *
     * @param max at least 1
     * @param owner of the deliveries
     * @return at most so many; empty if there is nothing
     * @throws Exception if it is not known what was claimed, or there is no such queue
     */
    List<D> claim(int max, AckRounds<D> owner) throws Exception;

    /**
     * Gives back what is still claimed.
     *
     * @param deliveries may be none
     * @return whether anything was
     * @throws Exception if it is not known what was given back
     */
    boolean free(Collection<D> deliveries) throws Exception;
  }

  /** Pauses between looks while the queue is empty: the first, and the longest. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

  private final String queue;
  private final BlockingCalls calls;
  private final long holdNanos;
  private final Claims<D> claims;
  private final AckRounds<D> acks;
  private final Consumer<ClaimingReceiver<D>> onClose;
  private final ArrayDeque<D> buffered = new ArrayDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable Future<List<D>> claim;
  // When the claim began that is under way, or that brought what is buffered.
  private long claimedNanos = System.nanoTime();
  private volatile boolean gaveUp;

  /**
   * Claims nothing yet.
   *
   * @param queue its name, for errors
   * @param calls the threads in which requests are made
   * @param hold how long what was claimed may take until it is handed out
   * @param claims the requests
   * @param acks what it holds
   * @param onClose told when it is closed
   */
  public ClaimingReceiver(
      String queue,
      BlockingCalls calls,
      Duration hold,
      Claims<D> claims,
      AckRounds<D> acks,
      Consumer<ClaimingReceiver<D>> onClose) {
    this.queue = queue;
    this.calls = calls;
    holdNanos = hold.toNanos();
    this.claims = claims;
    this.acks = acks;
    this.onClose = onClose;
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long timeoutNanos = Arguments.timeoutNanos(max, timeout);
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before receiving from queue " + queue);
    }
    long start = System.nanoTime();
    long pause = FIRST_PAUSE_NANOS;
    giveBackIfTooOld();
    while (buffered.isEmpty()) {
      buffered.addAll(claim(max));
      giveBackIfTooOld();
      long left = timeoutNanos - (System.nanoTime() - start);
      if (buffered.isEmpty()) {
        if (left <= 0) {
          return List.of();
        }
        TimeUnit.NANOSECONDS.sleep(Math.min(left, pause));
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
    if (!buffered.isEmpty() && System.nanoTime() - claimedNanos >= holdNanos) {
      List<D> old = List.copyOf(buffered);
      buffered.clear();
      acks.forget(old);
      Future<?> unused = calls.submit(() -> claims.free(old)); // or their end does the same, later
    }
  }

  /** An interrupted wait leaves the claim under way to the next call. */
  private List<D> claim(int max) throws InterruptedException {
    Future<List<D>> underWay = claim;
    if (underWay == null) {
      claimedNanos = System.nanoTime();
      underWay = calls.submit(() -> claimInBackground(max));
      claim = underWay;
    }
    try {
      List<D> claimed = calls.await("receive from queue " + queue, underWay, calls.bound());
      claim = null;
      return claimed;
    } catch (MqException e) {
      if (underWay.isDone()) {
        claim = null;
      }
      throw e;
    }
  }

  private List<D> claimInBackground(int max) throws Exception {
    List<D> claimed = claims.claim(max, acks);
    acks.hold(claimed);
    if (gaveUp) {
      boolean unused = claims.free(acks.take()); // nobody waits for it any more
    }
    return claimed;
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return acks.ack(deliveries);
  }

  @Override
  public void close() {
    if (beginClose()) {
      finishClose(System.nanoTime() + calls.bound().toNanos());
    }
  }

  /**
   * Refuses further calls; from any thread.
   *
   * @return true at the first time; then {@link #finishClose} is to be called
   */
  public boolean beginClose() {
    return closed.compareAndSet(false, true);
  }

  /**
   * Waits for the acks, and gives back the rest. What cannot be given back in time comes back at
   * the end of its claim period.
   *
   * @param deadlineNanos as {@link System#nanoTime()} tells it
   */
  public void finishClose(long deadlineNanos) {
    boolean interrupted = Thread.interrupted();
    try {
      Future<List<D>> underWay = claim;
      if (underWay != null) {
        awaitQuietly(underWay, deadlineNanos);
      }
      acks.awaitIdle(deadlineNanos);
      awaitQuietly(calls.submit(() -> claims.free(acks.take())), deadlineNanos);
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

  private void awaitQuietly(Future<?> future, long deadlineNanos) throws InterruptedException {
    long left = Math.max(0, deadlineNanos - System.nanoTime());
    try {
      Object unused = calls.await("close a receiver", future, Duration.ofNanos(left));
    } catch (MqException e) {
      return; // the end of the claim period does what this could not
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this receiver of queue " + queue + " is closed");
    }
  }
}
