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
 * Receives from a queue whose messages are claimed by requests. Claims at most what a call asks
 * for, so that no message is hidden before somebody wants it. An error does not close the receiver,
 * but messages claimed by a request whose answer was lost stay hidden until their claim ends.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 *
 * @param <D> the receiver's deliveries
 */
public final class ClaimingReceiver<D extends ClaimedDelivery> implements Receiver {

  /**
   * The requests of one receiver. Called in threads that may block, one claim at a time.
   *
   * @param <D> the receiver's deliveries
   */
  public interface Claims<D extends ClaimedDelivery> extends AckRounds.Settling<D> {

    /**
     * Claims messages without waiting for more.
     *
     * @param max at least 1
     * @param owner of the deliveries
     * @return at most {@code max}; empty if the queue is empty
     * @throws Exception if the result is unknown or the queue does not exist
     */
    List<D> claim(int max, AckRounds<D> owner) throws Exception;

    /**
     * Claims messages, and may wait for the first of them where the system itself can wait. Closing
     * waits for the end of such a claim: it must not take longer than some seconds.
     *
     * @param max at least 1
     * @param waitNanos longest wait for the first message; zero or less only looks at what is there
     * @param owner of the deliveries
     * @return at most {@code max}; empty if no message was there in time, or sooner
     * @throws Exception if the result is unknown or the queue does not exist
     */
    default List<D> claim(int max, long waitNanos, AckRounds<D> owner) throws Exception {
      return claim(max, owner);
    }

    /**
     * Whether claims wait. Their age then counts from the moment in which the delivery was made,
     * and else from the request.
     *
     * @return the same at every call
     */
    default boolean waits() {
      return false;
    }

    /**
     * Gives back every claim when the receiver closes, including claims whose answer was lost.
     *
     * @param held the claims with an answer; may be empty
     * @return whether any had not ended
     * @throws Exception if the result is unknown
     */
    default boolean freeAll(Collection<D> held) throws Exception {
      return free(held);
    }

    /**
     * Returns a number that changes with each notification of new messages. Called before each
     * claim by the receiving thread.
     *
     * @return any number; constant if the system does not notify
     */
    default long generation() {
      return 0;
    }

    /**
     * Waits in the receiving thread for new messages.
     *
     * @param since the generation before the last claim
     * @param pauseNanos longest wait if the system does not notify
     * @param leftNanos longest wait
     * @throws InterruptedException if the thread is interrupted
     */
    default void awaitNews(long since, long pauseNanos, long leftNanos)
        throws InterruptedException {
      TimeUnit.NANOSECONDS.sleep(Math.min(leftNanos, pauseNanos));
    }
  }

  /** Longest pause between claims while the queue is empty and the system does not notify. */
  public static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

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
   * Creates a receiver.
   *
   * @param queue its name, for errors
   * @param calls runs the requests
   * @param hold longest time between a claim and its delivery to the user
   * @param claims the requests
   * @param acks the claims and acks of this receiver
   * @param onClose called after the receiver has closed
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
    if (isTooOld()) {
      giveBack();
    }
    while (buffered.isEmpty()) {
      long generation = claims.generation();
      buffered.addAll(claim(max, timeoutNanos - (System.nanoTime() - start)));
      if (isTooOld() && !extendInTime()) {
        giveBack();
      }
      long left = timeoutNanos - (System.nanoTime() - start);
      if (buffered.isEmpty()) {
        if (left <= 0) {
          return List.of();
        }
        claims.awaitNews(generation, pause, left);
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

  /** Whether the claim of what is buffered would end before the user had the whole claim period. */
  private boolean isTooOld() {
    D first = buffered.peekFirst();
    if (first == null) {
      return false;
    }
    boolean waits = claims.waits(); // then the way here took an unknown part of the hold
    long since = waits ? first.sinceNanos : claimedNanos;
    return System.nanoTime() - since >= (waits ? holdNanos / 2 : holdNanos);
  }

  /**
   * Starts anew a claim that took long to come, such as that of a large message by a slow network.
   * Given back, it would be too old the next time too, and the message never delivered.
   */
  private boolean extendInTime() throws InterruptedException {
    long deadline = claimedNanos + calls.bound().toNanos();
    do {
      long asked = System.nanoTime();
      try {
        Object unused =
            calls.await(
                "extend a claim on queue " + queue,
                acks.extend(List.copyOf(buffered)),
                Duration.ofNanos(Math.max(0, deadline - asked)));
      } catch (MqException e) {
        return false; // a claim has ended, or may have
      }
      claimedNanos = asked;
    } while (isTooOld());
    return true;
  }

  private void giveBack() {
    List<D> old = List.copyOf(buffered);
    buffered.clear();
    acks.forget(old);
    Future<?> unused =
        calls.submit(() -> claims.free(old)); // if it fails, they end with their period
  }

  /** After an interrupt the claim goes on, and the next call takes its result. */
  private List<D> claim(int max, long waitNanos) throws InterruptedException {
    Future<List<D>> underWay = claim;
    if (underWay == null) {
      claimedNanos = System.nanoTime();
      underWay = calls.submit(() -> claimInBackground(max, waitNanos));
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

  private List<D> claimInBackground(int max, long waitNanos) throws Exception {
    List<D> claimed = claims.claim(max, waitNanos, acks);
    acks.hold(claimed);
    if (gaveUp) {
      boolean unused = claims.freeAll(acks.take()); // nobody waits for it any more
    }
    return claimed;
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return acks.ack(deliveries);
  }

  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return acks.release(deliveries);
  }

  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return acks.extend(deliveries);
  }

  @Override
  public void close() {
    if (beginClose()) {
      finishClose(System.nanoTime() + calls.bound().toNanos());
    }
  }

  /**
   * Refuses further calls. Call it from any thread.
   *
   * @return true the first time; then call {@link #finishClose}
   */
  public boolean beginClose() {
    return closed.compareAndSet(false, true);
  }

  /**
   * Waits for the acks and gives the other claims back. Claims that cannot be given back in time
   * end with their claim period.
   *
   * @param deadlineNanos in terms of {@link System#nanoTime()}
   */
  public void finishClose(long deadlineNanos) {
    boolean interrupted = Thread.interrupted();
    try {
      Future<List<D>> underWay = claim;
      if (underWay != null) {
        awaitQuietly(underWay, deadlineNanos);
      }
      acks.awaitIdle(deadlineNanos);
      awaitQuietly(calls.submit(() -> claims.freeAll(acks.take())), deadlineNanos);
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
      return; // the claims end with their period
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this receiver of queue " + queue + " is closed");
    }
  }
}
