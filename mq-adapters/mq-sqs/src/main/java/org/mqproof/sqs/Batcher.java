package org.mqproof.sqs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mqproof.support.BoundedWaits;

/**
 * Gathers items into requests of at most ten, several of which are under way at a time. A request
 * does not wait for more items while it may be sent; while it may not, they gather.
 *
 * <p>Thread-safe. Items are settled outside of every lock, on the thread that brings the answer.
 *
 * @param <T> what is gathered
 */
final class Batcher<T extends Batcher.Item> {

  /** One entry of a request. */
  interface Item {

    /** What it takes of the service's limit on a request. */
    int bytes();

    /** {@link System#nanoTime()} after which it is not sent any more. */
    long deadlineNanos();

    /**
     * Called once.
     *
     * @param failure null if the service did it
     */
    void settled(@Nullable RequestFailed failure);
  }

  private final Function<List<T>, CompletableFuture<List<@Nullable RequestFailed>>> request;
  private final int mostRequests;
  private final int mostBytes;
  private final int mostWaiting;

  private final Deque<T> waiting = new ArrayDeque<>();
  private int underWay;

  /** Counts calls of {@link #pump()}, so that one thread pumps and a nested call returns. */
  private final AtomicInteger pumps = new AtomicInteger();

  /**
   * Nothing is under way yet.
   *
   * @param request sends up to ten items; one entry per item comes back, null if it was done
   * @param mostRequests that may be under way at a time
   * @param mostBytes of all items of a request; a single one has no more
   */
  Batcher(
      Function<List<T>, CompletableFuture<List<@Nullable RequestFailed>>> request,
      int mostRequests,
      int mostBytes) {
    this.request = request;
    this.mostRequests = mostRequests;
    this.mostBytes = mostBytes;
    mostWaiting = mostRequests * Transport.MOST;
  }

  /**
   * Waits until few enough items wait.
   *
   * @return whether they do in time
   */
  synchronized boolean awaitRoom(long deadlineNanos) throws InterruptedException {
    return await(deadlineNanos, mostWaiting);
  }

  /**
   * Waits until none waits and nothing is under way, in spite of an interrupt, whose flag is kept.
   *
   * @return whether that is so in time
   */
  synchronized boolean awaitIdle(long deadlineNanos) {
    return BoundedWaits.await(deadlineNanos, left -> await(deadlineNanos, 0));
  }

  private boolean await(long deadlineNanos, int items) throws InterruptedException {
    while (waiting.size() > items || (items == 0 && underWay > 0)) {
      long left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  /** Takes items over; every one of them is settled, at the latest a request after its deadline. */
  void add(Collection<? extends T> items) {
    synchronized (this) {
      waiting.addAll(items);
    }
    pump();
  }

  private void pump() {
    if (pumps.getAndIncrement() > 0) {
      return; // whoever pumps goes round again
    }
    int seen = 1;
    do {
      List<T> next = next();
      while (!next.isEmpty()) {
        start(next);
        next = next();
      }
      seen = pumps.addAndGet(-seen);
    } while (seen > 0);
  }

  private List<T> next() {
    List<T> late = new ArrayList<>();
    List<T> next = new ArrayList<>(Transport.MOST);
    synchronized (this) {
      long now = System.nanoTime();
      int bytes = 0;
      while (underWay < mostRequests && next.size() < Transport.MOST && !waiting.isEmpty()) {
        T first = waiting.getFirst();
        if (now - first.deadlineNanos() > 0) {
          late.add(waiting.removeFirst());
          continue;
        }
        bytes += first.bytes();
        if (!next.isEmpty() && bytes > mostBytes) {
          break;
        }
        next.add(waiting.removeFirst());
      }
      if (!next.isEmpty()) {
        underWay++;
      }
      notifyAll();
    }
    late.forEach(
        item ->
            item.settled(
                RequestFailed.neverSent("it was not sent: earlier requests took too long")));
    return next;
  }

  private void start(List<T> items) {
    CompletableFuture<List<@Nullable RequestFailed>> answer;
    try {
      answer = request.apply(items);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var unused = answer.whenComplete((entries, failure) -> ended(items, entries, failure));
  }

  private void ended(
      List<T> items, @Nullable List<@Nullable RequestFailed> entries, @Nullable Throwable failure) {
    RequestFailed all = failure == null ? null : RequestFailed.of(Errors.unwrap(failure));
    for (int i = 0; i < items.size(); i++) {
      items.get(i).settled(entries == null ? all : entries.get(i));
    }
    synchronized (this) {
      underWay--;
      notifyAll();
    }
    pump();
  }
}
